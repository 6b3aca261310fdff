"""What a browser calls itself, in two words. Text in, text out."""

# The first that fits: many say that they are others, too.
_BROWSERS = {
    "Edg": "Edge",
    "OPR": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrome": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
_SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Macintosh": "Mac",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def device(agent: str) -> str:
    """`Firefox, Linux`; empty where nothing is known."""
    found = (
        next((name for sign, name in names.items() if sign in agent), "") for names in (_BROWSERS, _SYSTEMS)
    )
    return ", ".join(filter(None, found))
