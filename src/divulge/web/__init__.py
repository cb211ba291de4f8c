"""The service: a queue for output checkers in a browser, and the same as a JSON API.

Views decide nothing: who may do what, and when, is in `divulge.ledger`; here it is shown and asked for.
"""

from divulge.web.app import create_app
from divulge.web.deployment import Deployment

__all__ = ["Deployment", "create_app"]
