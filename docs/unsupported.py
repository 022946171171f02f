"""Why a public function of NumPy is not in the table of rules: reason → names, as a text."""

REASONS = {
    "They make arrays of plain numbers, and with `like=x` arrays of x's kind to be filled; `np.array` and `np.full`"
    " take single numbers that carry derivatives as they are": """
        np.arange np.array np.empty np.eye np.full np.identity np.ones np.tri np.zeros np.bartlett np.blackman
        np.diag_indices np.fft.fftfreq np.fft.rfftfreq np.fromfunction np.hamming np.hanning np.indices np.ix_
        np.kaiser np.mask_indices np.tril_indices np.triu_indices np.broadcast_shapes np.ravel_multi_index
        np.unravel_index""",
    "They make a plain array of their argument, or ask for its type: use `x` itself, `x.copy()` or `value_of(x)`": """
        np.asarray np.asarray_chkfinite np.asanyarray np.asfortranarray np.ascontiguousarray np.asmatrix np.bmat
        np.require np.from_dlpack np.isfortran np.isdtype np.issubdtype
        np.mintypecode np.promote_types np.typename np.nested_iters""",
    "They print, or read and write files and bytes: give them `value_of(x)`": """
        np.array2string np.array_repr np.array_str np.base_repr np.binary_repr np.format_float_positional
        np.format_float_scientific np.frombuffer np.fromfile np.fromiter np.fromregex np.fromstring np.genfromtxt
        np.load np.loadtxt np.save np.savetxt np.savez np.savez_compressed np.get_printoptions np.printoptions
        np.set_printoptions""",
    "It calls Python element by element on plain arrays: write the function in NumPy's": "np.frompyfunc",
    "They need no rule: of a number they say what they say of its value": "np.isscalar np.iterable",
    "NumPy's settings, and what it says of itself": """
        np.geterr np.geterrcall np.getbufsize np.get_include np.info np.setbufsize
        np.seterr np.seterrcall np.show_config np.show_runtime np.test""",
    "Dates, bits and sets": """
        np.busday_count np.busday_offset np.datetime_as_string np.datetime_data np.is_busday np.isnat np.packbits
        np.unpackbits np.intersect1d np.setdiff1d np.setxor1d np.union1d""",
}
