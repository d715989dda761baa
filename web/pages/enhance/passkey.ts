// Shows the buttons that use or create a passkey, fills in the credential and submits the form.
import {
  askPasskey,
  type CreationOptions,
  canUsePasskeys,
  createPasskey,
  type RequestOptions,
} from '../../passkeys.ts';

for (const part of document.querySelectorAll<HTMLElement>('[data-passkey]')) {
  const button = part.querySelector('button');
  const field = part.querySelector('input');
  const message = part.querySelector<HTMLElement>('[data-failed]');
  const { form } = button ?? {};
  if (!button || !field || !message || !form) continue;
  part.hidden = !canUsePasskeys();
  document.getElementById(part.dataset.without ?? '')?.toggleAttribute('hidden', !part.hidden);
  button.addEventListener('click', async (event) => {
    if (field.value !== '') return;
    event.preventDefault();
    message.hidden = true;
    const options = JSON.parse(part.dataset.passkey ?? '{}') as object;
    try {
      field.value =
        part.dataset.does === 'create'
          ? await createPasskey(options as CreationOptions)
          : await askPasskey(options as RequestOptions);
      form.requestSubmit(button);
    } catch {
      message.hidden = false;
    }
  });
}

// After the browser's "back" the challenge has been used.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
