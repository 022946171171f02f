"""Native code of programs: the steps that have a native form are joined to kernels, and compiled by LLVM."""
