"""Forms of accounts: allauth's, in our dress and with our names."""

import unicodedata
from typing import Any

from allauth.account import forms as allauth
from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.manage_email import email_already_exists
from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.utils.translation import get_language_info
from django.utils.translation import gettext_lazy as _

from players.models import LONGEST_TEXT, Report, Theme, User
from players.names import LONGEST, check_free, check_name, name_key, shown

_STRENGTH = _("At least 8 characters; not only digits, and none that everybody uses.")


class Dressed:
    """Fields in our look; `labels` says what they are called, `hints` what helps."""

    labels: dict[str, Any] = {}
    hints: dict[str, Any] = {}
    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            if not isinstance(field.widget, forms.RadioSelect):
                field.widget.attrs["class"] = "in plain"
            field.label = self.labels.get(name, field.label)
            field.help_text = self.hints.get(name, "")


class SignIn(Dressed, allauth.LoginForm):  # type: ignore[misc]  # allauth has no types
    labels = {"login": _("Name or e-mail address"), "password": _("Password")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autocapitalize": "none"}


class SignUp(Dressed, allauth.SignupForm):  # type: ignore[misc]  # allauth has no types
    labels = {"username": _("Name"), "password1": _("Password")}
    hints = {
        "password1": _STRENGTH,
        "username": _("2 to 20 letters, digits, hyphens or underscores. Everybody sees it."),
        "email": _("Only for a new password, should you forget yours. Nobody sees it."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if email := self.fields.get("email"):
            email.label = _("E-mail address") if email.required else _("E-mail address (optional)")

    def clean_username(self) -> str:
        """As the keyboard may have put it together: letters and their accents are one here."""
        name = unicodedata.normalize("NFC", self.cleaned_data["username"])
        check_name(name)
        check_free(name)
        if User.objects.filter(name_key=name_key(name)).exists():
            raise forms.ValidationError(_("That name is taken."), code="unique")
        return name


class ChangePassword(Dressed, allauth.ChangePasswordForm):  # type: ignore[misc]  # allauth has no types
    labels = {
        "oldpassword": _("Your password"),
        "password1": _("New password"),
        "password2": _("New password, once more"),
    }
    hints = {"password1": _STRENGTH}


class AskForPassword(Dressed, allauth.ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    labels = {"email": _("E-mail address")}


class NewPassword(Dressed, allauth.ResetPasswordKeyForm):  # type: ignore[misc]  # allauth has no types
    labels = {"password1": _("New password"), "password2": _("New password, once more")}
    hints = {"password1": _STRENGTH}


class AdminSignIn(AdminAuthenticationForm):
    """The admin's own door, with the same count of wrong passwords as the other."""

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if name and password:
            self.user_cache = get_adapter().authenticate(self.request, username=name, password=password)
            if self.user_cache is None:
                raise self.get_invalid_login_error()
            self.confirm_login_allowed(self.user_cache)
        return self.cleaned_data


class Choices(forms.Form):
    """What a reader may choose of the site's looks."""

    language = forms.ChoiceField(
        choices=[
            (code, get_language_info(code)["name_local"].capitalize()) for code, _name in settings.LANGUAGES
        ]
    )
    theme = forms.ChoiceField(choices=Theme.choices)
    sound = forms.ChoiceField(choices=[("on", _("On")), ("off", _("Off"))])


class TokenLabel(Dressed, forms.Form):
    labels = {"label": _("What is it for?")}

    label = forms.CharField(max_length=40, widget=forms.TextInput(attrs={"autocomplete": "off"}))


class WriteReport(Dressed, forms.Form):
    """What moderators are told. Of several players one is chosen; of none, it is the match itself."""

    labels = {
        "whom": _("Whom is it about?"),
        "why": _("What is wrong?"),
        "text": _("In your words (optional)"),
    }
    hints = {"text": _("At most 300 characters. Only moderators read it.")}

    whom = forms.ChoiceField()
    why = forms.ChoiceField(choices=Report.Why.choices)
    text = forms.CharField(required=False, max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 4}))

    def __init__(self, others: list[User], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.others = {str(other.pk): other for other in others}
        if len(others) > 1:
            whom: Any = self.fields["whom"]
            whom.choices = [(key, shown(other.username, other.kind)) for key, other in self.others.items()]
        else:
            del self.fields["whom"]

    @property
    def other(self) -> User | None:
        """Whom it is about."""
        only = next(iter(self.others.values()), None)
        return self.others[self.cleaned_data["whom"]] if "whom" in self.fields else only


class _WithPassword(Dressed, forms.Form):
    """What only the owner may do: the password is asked for again, and wrong ones are counted."""

    password = forms.CharField(
        strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, player: User, *args: Any, **kwargs: Any) -> None:
        self.player = player
        super().__init__(*args, **kwargs)

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        adapter = get_adapter()
        if adapter.authenticate(adapter.request, username=self.player.username, password=password) is None:
            raise adapter.validation_error("enter_current_password")
        return password


class ChangeEmail(_WithPassword):
    labels = {"email": _("New e-mail address"), "password": _("Your password")}
    hints = {"email": _("Leave it empty to give none.")}
    field_order = ["email", "password"]

    email = forms.EmailField(required=False, widget=forms.EmailInput(attrs={"autocomplete": "email"}))

    def clean_email(self) -> str:
        email = User.objects.normalize_email(self.cleaned_data["email"])
        if email:
            email_already_exists(email, user=self.player)
        return email


class Farewell(_WithPassword):
    """Deleting an account: a person gives the password."""

    labels = {"password": _("Your password")}


class GuestFarewell(Dressed, forms.Form):
    """Deleting a guest, who has no password: the name is typed."""

    name = forms.CharField(max_length=LONGEST, widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, player: User, *args: Any, **kwargs: Any) -> None:
        self.player = player
        super().__init__(*args, **kwargs)
        self.fields["name"].label = _("Type %(name)s to confirm") % {"name": player.username}

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self.player.username:
            raise forms.ValidationError(_("That is not your name."))
        return name
