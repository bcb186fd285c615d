from kubewright.embedded import scheduler


def test_the_package_gives_its_controller() -> None:
    """All else is its own business."""
    assert scheduler.__all__ == ["scheduler"]
    assert callable(scheduler.scheduler)
