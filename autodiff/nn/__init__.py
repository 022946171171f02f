"""Neural networks: modules, layers, losses, optimisers, training; written in NumPy, on Variables made by hand."""

from .curves import plot_curves
from .functional import functional_call, parameters_of
from .layers import BatchNorm, Conv2d, Dropout, Linear, ReLU, Sigmoid, Softmax, Tanh
from .losses import accuracy, cross_entropy, mse
from .methods import adam, rmsprop, sgd
from .module import Module, Sequential
from .optimisers import SGD, Adam, Optimiser, RMSprop
from .training import batches, evaluate, fit

__all__ = [
    "SGD",
    "Adam",
    "BatchNorm",
    "Conv2d",
    "Dropout",
    "Linear",
    "Module",
    "Optimiser",
    "RMSprop",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Softmax",
    "Tanh",
    "accuracy",
    "adam",
    "batches",
    "cross_entropy",
    "evaluate",
    "fit",
    "functional_call",
    "mse",
    "parameters_of",
    "plot_curves",
    "rmsprop",
    "sgd",
]
