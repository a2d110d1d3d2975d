"""Scripts and style sheets as a server sends them: without comments, and once to each browser."""

import re
from hashlib import sha256
from http import HTTPStatus

from aiohttp import web

# Comments that fill whole lines, and those after code. A comment after code that has a quote stays,
# because it may be the end of a string. Half of a module is comments.
COMMENT = re.compile(
    r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*$|(?<=[^ \t\n])[ \t]+// [^\n\"'`]*$",
    re.MULTILINE | re.DOTALL,
)


def without_comments(source: str) -> str:
    """Return a script or style sheet without comments. Lines keep their numbers."""
    return COMMENT.sub(lambda found: "\n" * found[0].count("\n"), source)


def source_response(request: web.Request, source: str, content_type: str) -> web.Response:
    """Return *source*, or "not modified" if the browser that sent *request* has it."""
    tag = sha256(source.encode()).hexdigest()[:20]
    if any(known.value == tag for known in request.if_none_match or ()):
        response = web.Response(status=HTTPStatus.NOT_MODIFIED)
    else:
        response = web.Response(text=source, content_type=content_type)
    response.etag = tag
    return response
