"""What goes over the wire: messages, URLs and their options, and the formats of bodies."""
