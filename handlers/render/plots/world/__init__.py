"""The world that maps draw: countries with their ISO 3166 codes and outlines."""
