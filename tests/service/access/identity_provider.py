"""An identity provider, as a program of its own: Authlib's, with people and groups that a test sets.

``python -m tests.service.hub.identity_provider PORT SECRET``. It signs people in without asking; a test may have it
answer what none should, in one way at a time.
"""

# ruff: noqa: ANN401, RUF012
# mypy: disable-error-code="misc, no-any-return, untyped-decorator"
# Authlib says no types.
import base64
import hmac
import json
import os
import sys
import time
from typing import Any

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # on this machine

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import OpenIDCode, UserInfo
from flask import Flask, Response, jsonify, redirect, request
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT_ID = "houseway-floor"
METHODS = ["client_secret_basic", "client_secret_post"]
PORT, SECRET = (int(sys.argv[1]), sys.argv[2]) if len(sys.argv) > 2 else (0, "")
ISSUER = f"http://localhost:{PORT}"
KEY, FOREIGN = (RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256"}, auto_kid=True) for _ in range(2))

NOW: dict[str, Any] = {
    "sub": "1",
    "name": "ann",
    "groups": [],
    "spoil": "",
    "amr": ["pwd"],
    "refuse": "",
    "userinfo": False,
}
CODES: dict[str, dict[str, Any]] = {}
TOKENS: dict[str, dict[str, Any]] = {}


class Client:
    """The floor."""

    client_id = CLIENT_ID

    def get_client_id(self) -> str:
        return CLIENT_ID

    def get_default_redirect_uri(self) -> None:
        return None

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, uri: str) -> bool:
        return uri.endswith("/sign-in/oidc/callback")

    def check_client_secret(self, secret: str) -> bool:
        return secret == SECRET

    def check_endpoint_auth_method(self, method: str, _endpoint: str) -> bool:
        return method in METHODS

    def check_response_type(self, kind: str) -> bool:
        return kind == "code"

    def check_grant_type(self, kind: str) -> bool:
        return kind == "authorization_code"

    @property
    def id_token_signed_response_alg(self) -> str:
        return "RS256"

    client_metadata = {"id_token_signed_response_alg": "RS256"}


class Code(dict[str, Any]):
    """An authorization code."""

    def get_redirect_uri(self) -> str:
        return self["redirect_uri"]

    def get_scope(self) -> str:
        return self["scope"]

    def get_nonce(self) -> str:
        return self["nonce"]

    def get_auth_time(self) -> int:
        return self["at"]

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> list[str]:
        return self["user"]["amr"]

    @property
    def code_challenge(self) -> str:
        return self["challenge"]

    @property
    def code_challenge_method(self) -> str:
        return self["method"]


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def save_authorization_code(self, code: str, asked: Any) -> None:
        data = asked.payload.data
        CODES[code] = Code(
            redirect_uri=asked.payload.redirect_uri,
            scope=asked.payload.scope,
            nonce=data.get("nonce"),
            challenge=data.get("code_challenge"),
            method=data.get("code_challenge_method"),
            user=dict(NOW),
            at=int(time.time()),
        )

    def query_authorization_code(self, code: str, _client: Any) -> Any:
        return CODES.get(code)

    def delete_authorization_code(self, code: Any) -> None:
        for name in [name for name, each in CODES.items() if each is code]:
            del CODES[name]

    def authenticate_user(self, code: Any) -> Any:
        return code["user"]


class IdToken(OpenIDCode):
    def exists_nonce(self, _nonce: str, _request: Any) -> bool:
        return False

    def get_client_claims(self, _client: Any) -> dict[str, Any]:
        return {"iss": ISSUER}

    def resolve_client_private_key(self, _client: Any) -> RSAKey:
        return KEY

    def get_encode_header(self, _client: Any) -> dict[str, Any]:
        return {"alg": "RS256", "kid": KEY.kid}

    def generate_user_info(self, user: dict[str, Any], _scope: str) -> UserInfo:
        told = {"sub": user["sub"], "preferred_username": user["name"]}
        return UserInfo(told if user["userinfo"] else {**told, "groups": user["groups"]})

    def encode_id_token(self, token: dict[str, Any], asked: Any) -> str:
        right = super().encode_id_token(token, asked)
        return spoilt(right) if NOW["spoil"] else right


def spoilt(right: str) -> str:
    claims = jwt.decode(right, KEY).claims
    header: dict[str, Any] = {"alg": "RS256", "kid": KEY.kid}
    how = NOW["spoil"]
    bent: dict[str, dict[str, Any]] = {
        "nonce": {"nonce": "another"},
        "audience": {"aud": "another"},
        "several": {"aud": [CLIENT_ID, "another"]},
        "issuer": {"iss": "http://localhost:1"},
        "expired": {"exp": int(time.time()) - 600, "iat": int(time.time()) - 900},
        "early": {"iat": int(time.time()) + 900, "nbf": int(time.time()) + 900},
    }
    claims |= bent.get(how, {})
    if how == "no_nonce":
        del claims["nonce"]
    if how == "none":
        return f"{part({'alg': 'none'})}.{part(claims)}."
    if how == "shared":  # as if the public key, which everybody has, were a secret
        signed = f"{part({'alg': 'HS256', 'kid': KEY.kid})}.{part(claims)}"
        mac = hmac.digest(KEY.as_pem(private=False), signed.encode(), "sha256")
        return f"{signed}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"
    if how == "secret":
        return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET), algorithms=["HS256"])
    if how == "foreign":
        return jwt.encode(header, claims, FOREIGN)
    return jwt.encode(header, claims, KEY)


def part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


class Bearer(BearerTokenValidator):
    def authenticate_token(self, text: str) -> Any:
        return TOKENS.get(text)

    def validate_token(self, token: Any, _scopes: Any, _request: Any, **_: Any) -> None:
        if token is None:
            raise ValueError("no such token")


def save_token(token: dict[str, Any], asked: Any) -> None:
    TOKENS[token["access_token"]] = asked.user


app = Flask(__name__)
server = AuthorizationServer(
    app, query_client=lambda name: Client() if name == CLIENT_ID else None, save_token=save_token
)
server.register_grant(CodeGrant, [IdToken(), CodeChallenge(required=True)])
protected = ResourceProtector()
protected.register_token_validator(Bearer())


@app.get("/.well-known/openid-configuration")
def describe() -> Any:
    return jsonify(
        issuer=ISSUER if NOW["spoil"] != "described" else "http://localhost:1",
        authorization_endpoint=f"{ISSUER}/authorize",
        token_endpoint=f"{ISSUER}/token",
        jwks_uri=f"{ISSUER}/keys",
        userinfo_endpoint=f"{ISSUER}/userinfo",
        end_session_endpoint=f"{ISSUER}/leave",
        token_endpoint_auth_methods_supported=METHODS,
        id_token_signing_alg_values_supported=["RS256", "HS256", "none"],
    )


@app.get("/keys")
def keys() -> Any:
    return jsonify(keys=[KEY.as_dict(private=False)])


@app.get("/authorize")
def authorize() -> Any:
    if NOW["refuse"]:
        return redirect(f"{request.args['redirect_uri']}?error={NOW['refuse']}&state={request.args['state']}")
    grant = server.get_consent_grant(end_user=dict(NOW))
    return server.create_authorization_response(grant=grant, grant_user=dict(NOW))


@app.post("/token")
def token() -> Any:
    return server.create_token_response()


@app.get("/userinfo")
@protected()
def userinfo() -> Any:
    other = NOW["spoil"] == "userinfo"
    return jsonify(sub="another" if other else current_token["sub"], groups=current_token["groups"])


@app.get("/leave")
def leave() -> Any:
    return redirect(request.args["post_logout_redirect_uri"])


@app.post("/control")
def control() -> Any:
    NOW.update(request.get_json())
    return Response(status=204)


if __name__ == "__main__":
    app.run("localhost", PORT, threaded=True)
