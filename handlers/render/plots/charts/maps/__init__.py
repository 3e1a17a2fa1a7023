"""Maps of countries, coloured by values or with circles on them."""
