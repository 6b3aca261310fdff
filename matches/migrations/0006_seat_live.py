from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("matches", "0005_for_moderators"),
    ]

    operations = [
        migrations.AddField(
            model_name="seat",
            name="live",
            field=models.BooleanField(default=True, db_default=True, editable=False),
        ),
        migrations.RunSQL(
            "UPDATE matches_seat SET live = false"
            " WHERE match_id IN (SELECT id FROM matches_match WHERE status = 'over')",
            migrations.RunSQL.noop,
        ),
    ]
