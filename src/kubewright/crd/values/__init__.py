"""The schema of a kind whose spec is the values of a helm chart.

A chart may say in ``values.schema.json`` what its values are; what that says becomes a structural
schema (`conversion`). For a chart without one, the schema is made from the values in
``values.yaml`` and the comments beside them (`inference`). `spec_schema` does what fits.
"""

from kubewright.crd.values.spec import SpecSchema, read_values, spec_schema

__all__ = ["SpecSchema", "read_values", "spec_schema"]
