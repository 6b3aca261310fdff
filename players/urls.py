"""Addresses of accounts. Of allauth's views only those that this site has a page for."""

from allauth.account import views as allauth
from django.urls import path, re_path

from players import paths, views

_ONE = f"players/<{paths.PlayerName.name}:name>/"
_TIES = ("block", "unblock", "mute", "unmute")

urlpatterns = [
    path("account/", views.account, name="account"),
    path("account/signup/", views.SignUp.as_view(), name="account_signup"),
    path("account/signin/", views.SignIn.as_view(), name="account_login"),
    path("account/signout/", views.sign_out, name="account_logout"),
    path("account/inactive/", allauth.account_inactive, name="account_inactive"),
    path("account/password/", views.change_password, name="account_change_password"),
    path("account/password/reset/", allauth.password_reset, name="account_reset_password"),
    path("account/password/reset/sent/", allauth.password_reset_done, name="account_reset_password_done"),
    path(
        "account/password/reset/done/",
        allauth.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^account/password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        allauth.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("account/choices/", views.choose, name="account-choices"),
    path("account/email/", views.email, name="account-email"),
    path("account/tokens/", views.tokens, name="account-tokens"),
    path("account/tokens/<int:token_id>/revoke/", views.revoke_token, name="account-token-revoke"),
    path("account/sessions/", views.sessions, name="account-sessions"),
    path("account/sessions/end/", views.end_sessions, name="account-sessions-end"),
    path("account/ties/", views.ties, name="account-ties"),
    path("account/delete/", views.delete, name="account-delete"),
    path(f"{_ONE}report/", views.report, name="player-report"),
    *(path(f"{_ONE}{verb}/", views.tie, {"verb": verb}, name=f"player-{verb}") for verb in _TIES),
    path("i18n/setlang/", views.speak, name="set_language"),
]
