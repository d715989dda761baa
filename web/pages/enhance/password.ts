for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-shows]')) {
  const field = document.getElementById(button.dataset.shows ?? '');
  if (!(field instanceof HTMLInputElement)) continue;
  button.hidden = false;
  const setVisible = (isVisible: boolean) => {
    field.type = isVisible ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isVisible));
  };
  button.addEventListener('click', () => setVisible(field.type === 'password'));
  // Browsers would store a password sent as plain text as a suggestion.
  field.form?.addEventListener('submit', () => setVisible(false));
}

/** Characters above the minimum that make a password strong. */
const strongExtra = 6;

for (const field of document.querySelectorAll<HTMLInputElement>('input[data-min-length]')) {
  const measure = document.getElementById(`${field.id}-measure`);
  const min = Number(field.dataset.minLength);
  field.addEventListener('input', () => {
    if (!measure) return;
    const length = [...field.value].length;
    const { short = '', enough = '', strong = '' } = measure.dataset;
    measure.textContent = length === 0 ? '' : length < min ? short : length < min + strongExtra ? enough : strong;
  });
}
