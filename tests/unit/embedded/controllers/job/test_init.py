from kubewright.embedded.controllers import job


def test_the_package_gives_its_controller() -> None:
    """All else is its own business."""
    assert job.__all__ == ["job_controller"]
    assert callable(job.job_controller)
