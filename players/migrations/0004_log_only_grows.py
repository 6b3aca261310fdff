"""PostgreSQL itself refuses to change or delete what stands in the log of moderators' acts."""

from collections.abc import Callable
from typing import Any

from django.db import migrations

GUARD = """
CREATE FUNCTION players_auditrow_only_grows() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the log of acts only grows'; END $$;
CREATE TRIGGER players_auditrow_only_grows BEFORE UPDATE OR DELETE ON players_auditrow
FOR EACH ROW EXECUTE FUNCTION players_auditrow_only_grows();
"""
UNGUARD = """
DROP TRIGGER players_auditrow_only_grows ON players_auditrow;
DROP FUNCTION players_auditrow_only_grows();
"""


def on_postgresql(statements: str) -> Callable[[Any, Any], None]:
    def run(apps: Any, schema_editor: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(statements, params=None)

    return run


class Migration(migrations.Migration):
    dependencies = [("players", "0003_moderation")]
    operations = [migrations.RunPython(on_postgresql(GUARD), on_postgresql(UNGUARD))]
