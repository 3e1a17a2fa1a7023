select name{% for column in columns %}, {{ column }}{% endfor %}
from members where fee >= :least order by name
