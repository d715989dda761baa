// Posts the key to the program on this computer. Without scripts the button does it.
document.querySelector<HTMLFormElement>('[data-hand-over] form')?.requestSubmit();
