"""Programs that are run again where a derivative needs what they computed: memory for time."""

from .checkpoint import checkpoint
from .loop import checkpointed_loop

__all__ = ["checkpoint", "checkpointed_loop"]
