"""Lines in parts, as pages show them."""

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from matches import words

register = template.Library()


@register.filter
def parts(line: str) -> SafeString:
    """A line that `words.joined` made, each part in a box of its own: the page draws the dots, and none where a line
    begins or ends."""
    return format_html_join(" ", "<span>{}</span>", ((part,) for part in words.parted(line)))
