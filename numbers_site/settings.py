"""The site's settings. What may differ from site to site is read from the environment by `env`."""

from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

from numbers_site import env, logs
from numbers_site.tongues import WRITTEN_IN, spoken

ROOT = Path(__file__).resolve().parent.parent

# Where and what we serve
PORT = env.whole("PORT", 8000, high=65_535, what="a port number")
HOST = env.host("HOST", "127.0.0.1")
ALLOWED_HOSTS = env.allowed_hosts("ALLOWED_HOSTS", HOST)
DEBUG = env.switch("DEBUG", False)
DATA = env.folder("DATA", ROOT / "data")
SECRET_KEY = env.secret_key("SECRET_KEY", DATA)
REDIS_URL = env.redis_url("REDIS_URL")
VAPID_KEY = env.vapid_key("VAPID_KEY", DATA)
PUSH_SERVICES = env.origins("PUSH_SERVICES")

# The game's own: clocks offered, and how long we wait for whom
BUDGET_SECONDS = env.seconds("BUDGET_SECONDS", 60, 180, 300, 600, 900, 1800)
MOVE_SECONDS = env.seconds("MOVE_SECONDS", 60, 120, 300, 3600)
GRACE_SECONDS = env.whole("GRACE_SECONDS", 60)
CHOOSE_SECONDS = env.whole("CHOOSE_SECONDS", 300)
CONFIRM_SECONDS = env.whole("CONFIRM_SECONDS", 30)
ROUND_PAUSE_SECONDS = env.whole("ROUND_PAUSE_SECONDS", 5, low=0)
BOT_DELAY = env.delay("BOT_DELAY", 1, 4)
LIMITS = env.switch("LIMITS", True)

# Who may come in, how letters leave, and whose word counts for where a request comes from
SIGNUP_EMAIL = env.choice("SIGNUP_EMAIL", "optional", ("optional", "required", "off"))
MAIL = env.mail("EMAIL_URL")
PROXIES = env.whole("PROXIES", 0, low=0, high=9, what="how many proxies of yours stand before the site,")
TLS = env.behind_tls("TLS", PROXIES)

# What it is made of
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "channels",
    "csp",
    "django_htmx",
    "ninja",
    "players",
    "matches",
    "lobby.calls",
    "ratings",
    "bots",
    "lobby",
    "tournaments",
    "numbers_site",
]
MIDDLEWARE = [
    "csp.middleware.CSPMiddleware",  # first, so that no answer leaves without its policy
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "numbers_site.middleware.limit_body",
    "numbers_site.middleware.say_when",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "players.middleware.know_player",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
ROOT_URLCONF = "numbers_site.urls"
ASGI_APPLICATION = "numbers_site.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "players.preferences.for_pages",
            ],
        },
    },
]

# What a browser may do with our pages: load what is ours, run no line that stands in a page, speak to nobody else
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],  # the page of the HTTP interface draws its signs so
        "connect-src": [SELF],  # our sockets among it
        "worker-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    },
}

# What holds once TLS ends at a proxy of ours, whose word counts for how a request came. This host speaks for itself
# alone: what else its domain serves, and whether browsers are to know it by heart, is the operator's to say.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXIES else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE_SSL_REDIRECT = TLS
SECURE_HSTS_SECONDS = env.A_YEAR if TLS else 0
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz)$"]  # asked from within
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# What is kept
DATABASES = {"default": env.database("DATABASE_URL", DATA)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Between processes: Redis where it is named, else within this one process
CACHES: dict[str, Any]
CHANNEL_LAYERS: dict[str, Any]
if REDIS_URL:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": "numbers",
        },
    }
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "numbers_site.layer.ScaledChannelLayer",
            "CONFIG": {
                # redis-py's own limits are for questions and answers: its 5 s timeout ends an idle
                # subscription, and its 100 connections are soon gone.
                "hosts": [{"address": REDIS_URL, "socket_timeout": None, "max_connections": 10_000}],
                "prefix": "numbers",
            },
        },
    }
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    CHANNEL_LAYERS = {"default": {"BACKEND": "numbers_site.layer.EmbeddedChannelLayer"}}

CELERY_BROKER_URL = REDIS_URL or "memory://localhost"
# The memory broker is asked, not waited for: its default of 1 s would be felt.
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"global_keyprefix": "numbers:"} if REDIS_URL else {"polling_interval": 0.1}
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = bool(REDIS_URL)
# The schedule stands in code and its jobs may run twice or late: nothing to remember on disk.
CELERY_BEAT_SCHEDULER = "numbers_site.beat:Scheduler"

# Who plays
AUTH_USER_MODEL = "players.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
SESSION_ENGINE = "players.sessions"
SESSION_COOKIE_AGE = 180 * 86_400
SESSION_COOKIE_SAMESITE = "Lax"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "home"
ALLAUTH_TRUSTED_PROXY_COUNT = PROXIES
ACCOUNT_ADAPTER = "players.accounts.Accounts"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = [
    "username*",
    *{"optional": ["email"], "required": ["email*"], "off": []}[SIGNUP_EMAIL],
    "password1*",
]
ACCOUNT_FORMS = {
    "login": "players.forms.SignIn",
    "signup": "players.forms.SignUp",
    "change_password": "players.forms.ChangePassword",
    "reset_password": "players.forms.AskForPassword",
    "reset_password_from_key": "players.forms.NewPassword",
}
# An address is there to send a new password to, and proven by that.
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False  # our views know that a guest is not yet signed in
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_SESSION_COOKIE_AGE = SESSION_COOKIE_AGE
ACCOUNT_RATE_LIMITS: Any = {} if LIMITS else False

# How letters leave
EMAIL_BACKEND = MAIL.backend
EMAIL_HOST, EMAIL_PORT = MAIL.host, MAIL.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL.user, MAIL.password
EMAIL_USE_TLS, EMAIL_USE_SSL = MAIL.starttls, MAIL.tls
EMAIL_FILE_PATH = DATA / "letters"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.text(
    "EMAIL_FROM", f"The Numbers <numbers@{(ALLOWED_HOSTS[0].strip('.*[]') or 'localhost')}>"
)

# In which words and whose time
LANGUAGE_CODE = WRITTEN_IN
LOCALE_PATHS = [ROOT / "locale"]
LANGUAGES = spoken(LOCALE_PATHS[0])
LANGUAGE_COOKIE_AGE = SESSION_COOKIE_AGE
LANGUAGE_COOKIE_SAMESITE = "Lax"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# What pages are dressed in
STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
STATICFILES_DIRS = [ROOT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "numbers_site.statics.HashedFiles"},
}

# What is said on stderr: what went wrong, and never what was sent to us
LOGGING = logs.config(structured=bool(REDIS_URL))
