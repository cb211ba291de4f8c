"""Fitted models of machine learning as outputs: what their structure gives away, and whether members can be told."""
