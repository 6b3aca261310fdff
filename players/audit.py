"""The log of what moderators do: it is written with the act, in its transaction, and only ever grows.

Every room names its own acts: `VOIDED = audit.act("match.voided", gettext_lazy("declared void"))`.
"""

from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.db.models import Model
from django.utils.translation import gettext_lazy

from players.models import LONGEST_TEXT, AuditRow, User

Json = dict[str, Any]
_LONGEST_NAME, _LONGEST_KEY = 200, 64

words: dict[str, Any] = {}
"""What each act is called, in the reader's language."""


def act(word: str, label: Any) -> str:
    """Make a kind of act known, and return its word."""
    words[word] = label
    return word


ADDED = act("form.added", gettext_lazy("added by form"))
CHANGED = act("form.changed", gettext_lazy("changed by form"))
DELETED = act("form.deleted", gettext_lazy("deleted by form"))
_FORMS = {ADDITION: ADDED, CHANGE: CHANGED, DELETION: DELETED}


def record(
    by: User | None,
    done: str,
    to: Model,
    *,
    reason: str = "",
    before: Json | None = None,
    after: Json | None = None,
) -> AuditRow:
    """Write down that `by` (None: the site itself) has `done` something, which is an act made known, to a row.

    To be called in the transaction of the act. `before` and `after` hold what has changed, as plain JSON, and never a
    secret or a key.
    """
    assert done in words
    told = {"reason": reason[:LONGEST_TEXT], "before": before or {}, "after": after or {}}
    return _add(by, done, to._meta.label_lower, str(to.pk), str(to), **told)


def record_form(entry: LogEntry) -> None:
    """Write down what the admin's own forms have done, as the admin tells it."""
    kind: Any = entry.content_type
    label = f"{kind.app_label}.{kind.model}" if kind else ""
    by = User.objects.filter(pk=entry.user_id).first()
    told = {"form": entry.get_change_message()}
    _add(by, _FORMS[entry.action_flag], label, str(entry.object_id or ""), entry.object_repr, after=told)


def _add(by: User | None, done: str, kind: str, key: str, name: str, **told: Any) -> AuditRow:
    return AuditRow.objects.create(
        actor_id=by.pk if by else None,
        actor=by.username if by else "",
        act=done,
        kind=kind,
        key=key[:_LONGEST_KEY],
        name=name[:_LONGEST_NAME],
        **told,
    )
