"""Models as files: sections, names as JSON, the state of a tree, how far a stream was read; written all or nothing."""
