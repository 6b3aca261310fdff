"""Static files under names that change with their content, the imports of our JavaScript modules included."""

from typing import ClassVar

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # Whitenoise has no types
    """Django rewrites imports in every JavaScript file there is; others' files import what they do not bring."""

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns: ClassVar[tuple[str, object]] = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
    )
