//! Programs that violate their spec do not compile. They are in `tests/compile_fail`, each with the error that it gets.
