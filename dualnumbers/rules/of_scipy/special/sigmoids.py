"""The logistic function and its inverse, softplus. No derivative cancels in the tails: 1 − expit(x) is expit(−x)."""

from ...elementwise.logistic import logistic
from ...elementwise.normal import inside_zero_one
from ...from_scipy import elementwise_of_scipy

expit = elementwise_of_scipy("expit", *logistic.row.partials)
log_expit = elementwise_of_scipy("log_expit", lambda x, z: logistic(-x))
logit = elementwise_of_scipy("logit", lambda x, z: 1.0 / (x * (1.0 - x)), domain=inside_zero_one, singular=True)
softplus = elementwise_of_scipy("softplus", lambda x, z: logistic(x))
