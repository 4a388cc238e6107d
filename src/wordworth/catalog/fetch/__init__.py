"""Where things come from: archives of the package index, the hub, the web; always by checksum."""
