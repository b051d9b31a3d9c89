from __future__ import annotations

import unicodedata
from typing import Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.schemas.secrets.masks import mask_text
from signoff.app.schemas.secrets.names import is_secret_name
from tests.schemas.masking import mask

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: tuple[Form, ...] = get_args(Form)
IN_MANY_LANGUAGES = [
    *("jwt", "user_jwt", "authorization", "cookie", "csrf", "otp", "cvv", "bearer", "creds"),
    *("contraseña", "miContraseña", "CONTRASEÑA_NUEVA", "clave", "clave_api", "clave de acceso"),
    *("Passwort", "DatenbankPasswort", "datenbankpasswort", "Kennwort", "Zugriffsschlüssel"),
    *("api-schlüssel", "geheimschluessel", "mot_de_passe", "motDePasse", "mdp", "jeton"),
    *("clé_secrète", "senha", "palavra-passe", "chave_privada", "parola", "chiave_segreta"),
    *("wachtwoord", "lösenord", "passord", "adgangskode", "salasana", "lykilorð"),
    *("hasło", "hasla", "heslo", "jelszó", "parolă", "şifre", "lozinka", "slaptažodis", "geslo"),
    *("пароль", "МойПароль", "пароля", "секретный_ключ", "токен", "лозинка", "құпия сөз"),
    *("κωδικός_πρόσβασης", "συνθηματικό", "סיסמה", "כתובת_סיסמא", "كلمة_المرور", "كلمة السر"),
    *("رمز_عبور", "گذرواژه", "पासवर्ड", "รหัสผ่าน", "პაროლი", "գաղտնաբառ", "mật_khẩu", "kata sandi"),
    *(
        "密码",
        "用户密码",
        "登录密碼",
        "口令",
        "密钥",
        "令牌",
        "パスワード",
        "新しいパスワード",
        "暗証番号",
    ),
    *(
        "비밀번호",
        "비밀번호확인",
        "암호",
        "토큰",
        "ｐａｓｓｗｏｒｄ",
        "dbpassword",
        "bottoken",
        "DB_DSN",
    ),
]
OTHERS = [
    *("palabra_clave", "palabras_clave", "Schlüssel", "секретарь", "compañía", "contrato"),
    *("名称", "说明", "이름", "암호화", "名前", "描述", "имя", "название", "parole", "keyword"),
    *("passo", "passagem", "mot", "clavel", "haslett", "résumé", "Größe", "encrypted"),
]


@pytest.mark.parametrize("name", IN_MANY_LANGUAGES)
def test_names_of_secrets_in_many_languages(name: str) -> None:
    assert is_secret_name(name)
    assert is_secret_name(name.upper())
    assert mask({name: "hunter2"})[1] == 1


@pytest.mark.parametrize("form", FORMS)
def test_a_name_tells_in_every_form_of_its_characters(form: Form) -> None:
    """Composed or decomposed is the choice of whoever typed the schema."""
    written = [unicodedata.normalize(form, name) for name in IN_MANY_LANGUAGES]
    assert [name for name in written if not is_secret_name(name)] == []


@pytest.mark.parametrize("name", OTHERS)
def test_names_in_many_languages_that_tell_of_nothing(name: str) -> None:
    assert not is_secret_name(name)
    assert mask({name: "hunter2"}) == ({name: "hunter2"}, 0)


NO_SECRETS = [
    *("progressToken", "progress_token", "progresstoken", "nextToken", "NextToken", "next-token"),
    *("nextPageToken", "next_page_token", "pageToken", "x-page-token", "continuationToken"),
    *("paginationToken", "cursor", "nextCursor", "syncToken", "cancellationToken", "stop_token"),
    *("max_tokens", "maxTokens", "tokenCount", "token_limit", "token_type", "tokens_used"),
    *("prompt_tokens", "completionTokens", "token_endpoint"),
]
SECRETS = [
    *("token", "accessToken", "refresh_token", "id_token", "csrfToken", "sessionToken", "botToken"),
    *("page_access_token", "accessPageToken", "fb_page_token", "nextAuthToken", "apiNextToken"),
    *(
        "PAGE_TOKEN",
        "NEXT_TOKEN",
        "next_token_secret",
        "progressTokenPassword",
        "pageTokenKeySecret",
    ),
    *("userProgressToken", "previousToken", "token_url", "tokenValue", "tokens"),
]


@pytest.mark.parametrize("name", NO_SECRETS)
@pytest.mark.parametrize("value", [7, "7", "abcdef12", "Q2FuIHlvdSByZWFkIG1l"])
def test_a_place_in_a_list_progress_and_counts_are_no_secrets(name: str, value: str | int) -> None:
    assert mask({name: value}) == ({name: value}, 0)
    assert mask_text(f"{name}=abcdef12") == f"{name}=abcdef12"


@pytest.mark.parametrize("name", SECRETS)
def test_tokens_that_open_something_are_secrets(name: str) -> None:
    assert mask({name: "abcdef12"})[1] == 1
    assert "abcdef12" not in mask_text(f"{name}=abcdef12")


@pytest.mark.parametrize("name", NO_SECRETS)
def test_what_looks_like_a_known_secret_is_masked_under_any_name(name: str) -> None:
    known = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"
    assert mask({name: known})[1] == 1


@given(
    st.sampled_from(NO_SECRETS),
    st.sampled_from(["password", "secret", "api_key", "authorization", "access_token"]),
    st.booleans(),
)
def test_a_word_of_a_secret_counts_beside_them(name: str, secret: str, is_first: bool) -> None:
    assert is_secret_name(f"{secret}_{name}" if is_first else f"{name}_{secret}")


@pytest.mark.parametrize(
    "text",
    ["contraseña=hunter2", "пароль: hunter2", "密码：hunter2", '{"Passwort": "hunter2"}'],
)
def test_assignments_to_them_in_a_text(text: str) -> None:
    assert "hunter2" not in mask_text(text)
