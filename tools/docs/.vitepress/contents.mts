// The pages of the site by role, and the words of the frame in five languages.
import type { DefaultTheme } from 'vitepress';

export interface Section {
  title: string;
  pages: [title: string, link: string][];
}

const english: Record<string, Section> = {
  '/': {
    title: 'Start',
    pages: [
      ['Waybill', '/'],
      ['From nothing to the first link', '/start/first-link'],
      ['Changes', '/start/changes'],
    ],
  },
  '/people/': {
    title: 'Send and receive',
    pages: [
      ['Overview', '/people/'],
      ['Receive files', '/people/receive'],
      ['Send files', '/people/send'],
      ['Ask for files', '/people/request'],
      ['Your account', '/people/account'],
    ],
  },
  '/administer/': {
    title: 'Administer',
    pages: [
      ['Tasks', '/administer/'],
      ['Help a recipient or sender', '/administer/help'],
      ['People and addresses', '/administer/people-and-addresses'],
      ['Rules of groups', '/administer/rules'],
      ['Settings of groups', '/administer/group-settings'],
      ['Transfers', '/administer/transfers'],
      ['Records and audits', '/administer/records'],
      ['Branding', '/administer/branding'],
    ],
  },
  '/operate/': {
    title: 'Operate',
    pages: [
      ['Tasks', '/operate/'],
      ['Install', '/operate/install'],
      ['Reverse proxies', '/operate/proxies/'],
      ['HTTPS without a proxy', '/operate/tls'],
      ['Mail', '/operate/mail'],
      ['Sign-in services', '/operate/identity'],
      ['Virus scanner', '/operate/virus-scanner'],
      ['Settings', '/operate/configuration'],
      ['Commands', '/operate/commands'],
      ['Backups', '/operate/backups'],
      ['Monitoring', '/operate/monitoring/'],
      ['Daily questions', '/operate/daily-questions'],
      ['Doctor', '/operate/doctor'],
      ['Troubleshooting', '/operate/troubleshooting'],
      ['Running', '/operate/running'],
      ['Upgrade', '/operate/upgrade'],
      ['Master key', '/operate/keys'],
      ['Storage', '/operate/storage'],
      ['PostgreSQL and S3', '/operate/postgresql-and-s3'],
      ['Several machines', '/operate/several-machines'],
      ['Moving', '/operate/moving'],
      ['Capacity', '/operate/capacity'],
    ],
  },
  '/integrate/': {
    title: 'Integrate',
    pages: [
      ['Overview', '/integrate/'],
      ['Command line', '/integrate/cli'],
      ['Client library', '/integrate/client'],
      ['Events', '/integrate/events'],
      ['Webhooks', '/integrate/webhooks'],
    ],
  },
  '/trust/': {
    title: 'Trust',
    pages: [
      ['Overview', '/trust/'],
      ['Security', '/trust/security'],
      ['Security model', '/trust/security-model'],
      ['Evidence', '/trust/evidence'],
      ['Watch as a witness', '/trust/witness'],
      ['Privacy', '/trust/privacy'],
      ['Erasure', '/trust/erasure'],
      ['Accessibility', '/trust/accessibility'],
      ['Supported browsers', '/trust/browsers'],
    ],
  },
  '/contribute/': {
    title: 'Contribute',
    pages: [
      ['Contributing', '/contribute/'],
      ['Architecture', '/contribute/architecture'],
      ['Glossary', '/contribute/glossary'],
      ['Tables', '/contribute/schema'],
      ['Dependencies', '/contribute/dependencies'],
      ['Benchmark', '/contribute/benchmark'],
      ['Decisions', '/adr/'],
    ],
  },
};

/** The pages for people in another language have the same names. */
const people = (lang: string, titles: [overview: string, ...others: string[]]): Record<string, Section> => {
  const [title, ...others] = titles;
  const names = ['receive', 'send', 'request', 'account'];
  const pages = names.map((name, index): Section['pages'][number] => [others[index]!, `/${lang}/${name}`]);
  return { [`/${lang}/`]: { title, pages: [[title, `/${lang}/`], ...pages] } };
};

export const contents = {
  en: english,
  de: people('de', ['Senden und empfangen', 'Dateien empfangen', 'Dateien senden', 'Dateien anfordern', 'Ihr Konto']),
  es: people('es', ['Enviar y recibir', 'Recibir archivos', 'Enviar archivos', 'Pedir archivos', 'Su cuenta']),
  fr: people('fr', [
    'Envoyer et recevoir',
    'Recevoir des fichiers',
    'Envoyer des fichiers',
    'Demander des fichiers',
    'Votre compte',
  ]),
  sv: people('sv', ['Skicka och ta emot', 'Ta emot filer', 'Skicka filer', 'Begär filer', 'Ditt konto']),
};

interface Words {
  language: string;
  more: string;
  theme: Partial<DefaultTheme.Config>;
}

const themeWords = (words: Record<string, string>): Partial<DefaultTheme.Config> => ({
  outline: { level: [2, 3], label: words.outline! },
  docFooter: { prev: words.previous!, next: words.next! },
  darkModeSwitchLabel: words.scheme!,
  darkModeSwitchTitle: words.dark!,
  lightModeSwitchTitle: words.light!,
  sidebarMenuLabel: words.menu!,
  returnToTopLabel: words.top!,
  langMenuLabel: words.languages!,
  skipToContentLabel: words.skip!,
});

export const siteWords: Record<'de' | 'es' | 'fr' | 'sv', Words> = {
  de: {
    language: 'Deutsch',
    more: 'Weitere Themen (englisch)',
    theme: themeWords({
      outline: 'Auf dieser Seite',
      previous: 'Vorherige Seite',
      next: 'Nächste Seite',
      scheme: 'Darstellung',
      dark: 'Dunkel anzeigen',
      light: 'Hell anzeigen',
      menu: 'Menü',
      top: 'Nach oben',
      languages: 'Sprache ändern',
      skip: 'Zum Inhalt springen',
    }),
  },
  es: {
    language: 'Español',
    more: 'Más temas (en inglés)',
    theme: themeWords({
      outline: 'En esta página',
      previous: 'Página anterior',
      next: 'Página siguiente',
      scheme: 'Apariencia',
      dark: 'Mostrar en oscuro',
      light: 'Mostrar en claro',
      menu: 'Menú',
      top: 'Volver arriba',
      languages: 'Cambiar de idioma',
      skip: 'Ir al contenido',
    }),
  },
  fr: {
    language: 'Français',
    more: 'Autres sujets (en anglais)',
    theme: themeWords({
      outline: 'Sur cette page',
      previous: 'Page précédente',
      next: 'Page suivante',
      scheme: 'Apparence',
      dark: 'Afficher en sombre',
      light: 'Afficher en clair',
      menu: 'Menu',
      top: 'Haut de page',
      languages: 'Changer de langue',
      skip: 'Aller au contenu',
    }),
  },
  sv: {
    language: 'Svenska',
    more: 'Fler ämnen (på engelska)',
    theme: themeWords({
      outline: 'På den här sidan',
      previous: 'Föregående sida',
      next: 'Nästa sida',
      scheme: 'Utseende',
      dark: 'Visa mörkt',
      light: 'Visa ljust',
      menu: 'Meny',
      top: 'Till toppen',
      languages: 'Byt språk',
      skip: 'Hoppa till innehållet',
    }),
  },
};

const search = (button: string, none: string, [reset, select, navigate, close]: string[]) => ({
  translations: {
    button: { buttonText: button, buttonAriaLabel: button },
    modal: {
      noResultsText: none,
      resetButtonTitle: reset!,
      footer: { selectText: select!, navigateText: navigate!, closeText: close! },
    },
  },
});

export const searchWords = {
  root: search('Search', 'Nothing found for', ['Clear', 'open', 'move', 'close']),
  de: search('Suchen', 'Nichts gefunden für', ['Leeren', 'öffnen', 'bewegen', 'schließen']),
  es: search('Buscar', 'Sin resultados para', ['Borrar', 'abrir', 'mover', 'cerrar']),
  fr: search('Rechercher', 'Aucun résultat pour', ['Effacer', 'ouvrir', 'se déplacer', 'fermer']),
  sv: search('Sök', 'Inget hittades för', ['Rensa', 'öppna', 'flytta', 'stäng']),
};
