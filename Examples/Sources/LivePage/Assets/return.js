// Hands what another site said over to the app, as the action `return`.

document.querySelector('form').submit();
