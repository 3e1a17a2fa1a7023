"""The world of maps: countries with their ISO 3166 codes and outlines."""
