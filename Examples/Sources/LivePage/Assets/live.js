// Keeps a page in step with its app on the server.
//
// The server sends the whole content after every change; `morph` makes the document equal to it
// and touches nothing that is equal already, so focus, scroll position and half-typed text stay.
// Forms marked data-live are posted in the background, one after the other.

const root = document.getElementById('live');
const lost = document.getElementById('lost');
const text = document.documentElement.lang.startsWith('pt')
  ? 'Sem conexão com a página. Tentando de novo…'
  : 'The connection to the page is lost. Trying again…';

function key(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key || '' : '';
}

function isSame(a, b) {
  return a.nodeName === b.nodeName && key(a) === key(b);
}

function copyAttributes(from, to) {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name)) from.removeAttribute(name);
  }
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}

// A field shows what its person types; the server's text wins once it differs from what the
// server said before and the person is elsewhere.
function copyField(from, to, before) {
  if (from === document.activeElement) return;
  if (from.nodeName === 'SELECT') {
    const chosen = to.querySelector('option[selected]')?.value;
    if (chosen !== undefined && chosen !== before) from.value = chosen;
  } else if (from.nodeName === 'TEXTAREA') {
    if (to.defaultValue !== before) from.value = to.defaultValue;
  } else if (from.type !== 'file' && from.defaultValue !== before) {
    from.value = from.defaultValue;
  }
}

function serverValue(field) {
  if (field.nodeName === 'SELECT') return field.querySelector('option[selected]')?.value;
  return field.defaultValue;
}

function morph(from, to) {
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(from.nodeName);
  const before = isField ? serverValue(from) : undefined;
  copyAttributes(from, to);
  morphChildren(from, to);
  if (isField) copyField(from, to, before);
}

function morphChildren(from, to) {
  let next = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    let match = next;
    while (match && !isSame(match, wanted)) match = match.nextSibling;
    if (!match) {
      from.insertBefore(wanted, next);
      continue;
    }
    while (next !== match) {
      const gone = next;
      next = next.nextSibling;
      gone.remove();
    }
    next = match.nextSibling;
    morph(match, wanted);
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

function show(html) {
  const wanted = document.createElement('div');
  wanted.innerHTML = html;
  const hadFocus = root.contains(document.activeElement);
  const known = new Set(root.querySelectorAll('[data-focus]'));
  morphChildren(root, wanted);
  const fresh = [...root.querySelectorAll('[data-focus]')].filter((e) => !known.has(e)).pop();
  if (fresh) fresh.focus();
  else if (hadFocus && document.activeElement === document.body) root.querySelector('h1')?.focus();
}

// A link that comes while the page is looked at leads away by itself: to a sign-in elsewhere. One that was there before,
// as after "back", waits for a click.
function following(change) {
  const address = () => root.querySelector('a[data-follow]')?.href;
  const before = address();
  change();
  const after = address();
  if (after !== before && /^https?:/.test(after)) location.assign(after);
}

function connect() {
  const events = new EventSource('/live/events');
  events.onopen = () => { lost.hidden = true; };
  events.onmessage = ({ data }) => following(() => show(data));
  events.onerror = () => {
    lost.textContent = text;
    lost.hidden = false;
    if (events.readyState === EventSource.CLOSED) {
      events.close();
      setTimeout(connect, 1000);
    }
  };
}

let last = Promise.resolve();

function post(address, fields) {
  last = last.then(async () => {
    try {
      const reply = await fetch(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(fields),
      });
      if (reply.status === 413) window.alert(text413);
    } catch {
      lost.textContent = text;
      lost.hidden = false;
    }
  });
  return last;
}

const text413 = document.documentElement.lang.startsWith('pt')
  ? 'O arquivo é grande demais.' : 'The file is too large.';

// A photo is made smaller than 640 pixels a side before it travels; other files go as they are. A field's data-quality
// is that of the JPEG, from 0 to 1.
async function shrunk(file, quality) {
  if (!file.type.startsWith('image/')) return dataURL(file);
  try {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, 640 / Math.max(picture.width, picture.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL('image/jpeg', quality);
  } catch {
    return dataURL(file);
  }
}

function dataURL(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

function position() {
  return new Promise((resolve) => {
    if (!navigator.geolocation) resolve(null);
    else navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve(coords), () => resolve(null), { timeout: 5000, maximumAge: 60000 });
  });
}

async function fieldsOf(form, submitter) {
  const fields = {};
  for (const [name, value] of new FormData(form, submitter)) {
    if (typeof value === 'string') fields[name] = value;
    else if (value.size) fields[name] = await shrunk(value, Number(form.elements[name]?.dataset?.quality ?? 0.8));
  }
  if (form.hasAttribute('data-locate')) {
    const place = await position();
    if (place) Object.assign(fields, { latitude: `${place.latitude}`, longitude: `${place.longitude}` });
  }
  return fields;
}

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!form.hasAttribute('data-live')) return;
  event.preventDefault();
  const address = event.submitter?.getAttribute('formaction') ?? form.action;
  const fields = await fieldsOf(form, event.submitter);
  post(address, fields);
  for (const file of form.querySelectorAll('input[type=file]')) file.value = '';
});

// Two-way binding: what is typed into a field of a form with data-bind goes to its action at once.
document.addEventListener('input', (event) => {
  const form = event.target.closest?.('form[data-bind]');
  if (form && event.target.name) {
    post(form.dataset.bind, { [event.target.name]: event.target.value });
  }
});

document.addEventListener('change', (event) => {
  if (event.target.hasAttribute?.('data-submit')) event.target.form.requestSubmit();
});

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') [...root.querySelectorAll('[data-escape]')].pop()?.click();
});

connect();
