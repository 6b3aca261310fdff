"""What makes the site an app of its own on a phone: a manifest, a service worker, and a page for when there is no line.

None of the three knows who asks: what a browser keeps of them is the same for everybody of one language.
"""

import hashlib
import json

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

_DRESS = ("css/tokens.css", "css/components.css", "js/offline.js", "img/favicon.svg")
"""All that the offline page asks for."""
_GROUND, _ACCENT = "#e3e8e4", "#1f3fb4"


@require_safe
@cache_control(max_age=3600)
def manifest(request: HttpRequest, language: str) -> HttpResponse:
    with speaking(language):
        told = {
            "id": "/",
            "name": "The Numbers",
            "short_name": "Numbers",
            "description": _(
                "A live duel of secret numbers: each hides one, you guess in turns, the clock runs. "
                "Free, no account needed."
            ),
            "lang": language,
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": _GROUND,
            "theme_color": _ACCENT,
            "categories": ["games"],
            "icons": [
                _icon("app.svg", "any", "image/svg+xml"),
                _icon("app-192.png", "192x192"),
                _icon("app-512.png", "512x512"),
                {**_icon("app-maskable.png", "512x512"), "purpose": "maskable"},
            ],
            "shortcuts": [
                {"name": _("Lobby"), "url": reverse("lobby")},
                {"name": _("Tournaments"), "url": reverse("tournaments")},
                {"name": _("Practice"), "url": reverse("practice")},
            ],
        }
    return JsonResponse(told, content_type="application/manifest+json")


def _icon(name: str, sizes: str, kind: str = "image/png") -> dict[str, str]:
    return {"src": static(f"img/{name}"), "sizes": sizes, "type": kind}


@require_safe
@cache_control(no_cache=True)
def worker(request: HttpRequest, language: str) -> HttpResponse:
    """Its name changes with what it keeps, so that a browser takes the new one and throws the old away."""
    page = _offline(language)
    files = [reverse("offline", args=[language]), *map(static, _DRESS)]
    version = hashlib.sha256(f"{files}{page}".encode()).hexdigest()[:12]
    told = {
        "version": version,
        "shell": mark_safe(json.dumps(files)),  # noqa: S308  our own addresses, in a script
        "icon": static("img/app-192.png"),
        "badge": static("img/badge.png"),
    }
    return HttpResponse(render_to_string("numbers_site/worker.js", told), content_type="text/javascript")


@require_safe
@cache_control(no_cache=True)
def offline(request: HttpRequest, language: str) -> HttpResponse:
    return HttpResponse(_offline(language))


def _offline(language: str) -> str:
    """Rendered without the request: it may be kept, and so is nobody's."""
    with speaking(language):
        return render_to_string("numbers_site/offline.html")


def speaking(language: str) -> translation.override:
    """Where the address names the language. Raises `Http404` for one that is not spoken here."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    return translation.override(language)
