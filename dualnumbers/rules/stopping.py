"""Values as constants: what depends on a number and carries none of its derivatives."""

from ..levels import known
from ..table import locally_constant_of_arrays
from ..table.batching import by_elements


@locally_constant_of_arrays(shown="stop_gradient", batched=by_elements)
def _stopped(x):
    return x


def stopped(x):
    """Return the value of ``x``, whose derivative is zero at every level: plain, or an operand of a recording.

    It is an operand where a recording notes who reads a value, and is computed anew when that runs at other inputs.
    """
    return _stopped(known(x))
