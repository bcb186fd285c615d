"""The endpoints: what each verb does to the objects of any resource."""
