from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Apart from the rows: PostgreSQL makes no index in a transaction that has just changed what it stands on."""

    dependencies = [
        ("matches", "0006_seat_live"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="seat",
            index=models.Index(condition=models.Q(("live", True)), fields=["player"], name="seat_live"),
        ),
    ]
