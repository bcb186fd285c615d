"""An API reference of custom kinds: what CRDs say, in words, as Markdown and as a page in HTML."""
