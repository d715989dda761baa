// Domains of public mail providers. They never widen level 4: "everyone at their organisation" must not become "everyone
// at a webmail provider" (security D10). An administrator may add to the list.
export const publicMailDomains: readonly string[] = [
  'aol.com', 'att.net', 'bigpond.com', 'bluewin.ch', 'btinternet.com', 'comcast.net', 'duck.com', 'fastmail.com', 'fastmail.fm',
  'free.fr', 'freenet.de', 'gmail.com', 'gmx.at', 'gmx.ch', 'gmx.com', 'gmx.de', 'gmx.net', 'googlemail.com', 'hey.com',
  'home.se', 'hotmail.co.uk', 'hotmail.com', 'hotmail.de', 'hotmail.es', 'hotmail.fr', 'hotmail.it', 'hotmail.se', 'hushmail.com',
  'icloud.com', 'inbox.com', 'inbox.lv', 'kpnmail.nl', 'laposte.net', 'libero.it', 'live.co.uk', 'live.com', 'live.de', 'live.fr',
  'live.nl', 'live.se', 'mac.com', 'mail.com', 'mail.de', 'mail.ru', 'mailbox.org', 'me.com', 'msn.com', 'naver.com', 'ntlworld.com',
  'o2.pl', 'orange.fr', 'outlook.com', 'outlook.de', 'outlook.es', 'outlook.fr', 'outlook.it', 'passmail.net', 'pm.me', 'posteo.de',
  'proton.me', 'protonmail.ch', 'protonmail.com', 'qq.com', 'rediffmail.com', 'seznam.cz', 'sfr.fr', 'sky.com', 'spray.se',
  't-online.de', 'telia.com', 'terra.com.br', 'tiscali.it', 'tuta.com', 'tuta.io', 'tutanota.com', 'tutanota.de', 'ukr.net',
  'uol.com.br', 'verizon.net', 'virgilio.it', 'virginmedia.com', 'wanadoo.fr', 'web.de', 'wp.pl', 'yahoo.ca', 'yahoo.co.in',
  'yahoo.co.jp', 'yahoo.co.uk', 'yahoo.com', 'yahoo.com.br', 'yahoo.de', 'yahoo.es', 'yahoo.fr', 'yahoo.it', 'yandex.com',
  'yandex.ru', 'ymail.com', 'ziggo.nl', 'zoho.com', '163.com', '126.com',
];
