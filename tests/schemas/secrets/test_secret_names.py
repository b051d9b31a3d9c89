from __future__ import annotations

import unicodedata
from typing import Literal, get_args

import pytest

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


@pytest.mark.parametrize(
    "text",
    ["contraseña=hunter2", "пароль: hunter2", "密码：hunter2", '{"Passwort": "hunter2"}'],
)
def test_assignments_to_them_in_a_text(text: str) -> None:
    assert "hunter2" not in mask_text(text)
