// Stems of weak passwords in a few languages. Written for this project, not taken from a leaked list.

const PASSWORD_WORDS = `
  pass password passwort passwd passcode passphrase passwords parola parole contrasena motdepasse senha wachtwoord
  haslo heslo salasana losenord kennwort geheim geheimnis secret secrets segredo secreto pincode login logon logmein
  signin access admin admins administrator root toor guest user users username usuario default system sysadmin
  superuser server database master private public temp temporary test tester testing tests trial demo example sample
  changeme change please letmein openup opensesame sesame enter entry unlock lock keys mykey hello hallo hola bonjour
  ciao welcome willkommen bienvenue bienvenido welkom goodbye thanks thankyou trustno trust nothing something anything
  whatever forgot forgotten remember none null undefined unknown
`;

const LOVE_AND_PEOPLE = `
  love lover lovely iloveyou iloveu loveme loveyou liebe amour amore teamo tequiero jetaime tiamo schatz schatzi
  honey darling sweet sweetheart sweetie baby babygirl babyboy angel angels princess prince princesa queen king
  kings mother father mama papa mommy daddy family familie friend friends bestfriend boyfriend girlfriend wife husband
  sister brother junior michael jessica ashley daniel andrew thomas robert charlie jordan taylor nicole hannah
  amanda jennifer michelle matthew anthony william joshua richard george maggie martin alexander alexandra maria
  marie anna peter stefan andreas christian sandra sabine jesus christ heaven blessed faith forever always
`;

const ANIMALS_SPORT_AND_PLAY = `
  dragon monkey tiger lion eagle falcon hawk phoenix wolf wolves bear bears shark dolphin dolphins horse pony puppy
  kitty kitten butterfly spider snake turtle rabbit chicken buster bailey rocky lucky shadow hunter ranger rangers
  football fussball futbol soccer baseball basketball hockey tennis golf golfer cowboys yankees lakers steelers
  arsenal chelsea liverpool barcelona realmadrid juventus bayern schalke player playboy gamer games gaming pokemon
  pikachu mario zelda minecraft fortnite roblox starwars skywalker batman superman spiderman ironman marvel matrix
  merlin gandalf wizard magic ninja samurai warrior pirate killer soldier champion winner winners legend hero heroes
`;

const THINGS_AND_TIMES = `
  summer winter spring autumn sommer fruehling herbst ete hiver verano invierno estate inverno january february march
  april june july august september october november december januar februar maerz juni juli oktober dezember monday
  tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag today
  tomorrow birthday christmas xmas weihnachten easter holiday holidays vacation urlaub newyear sunshine sunset sunny
  rainbow flower flowers rose roses lily garden ocean beach island mountain river moon moonlight star stars stardust
  diamond silver gold golden orange purple yellow green black white blue pink cookie cookies chocolate cheese pizza
  banana apple apples cherry strawberry peanut pepper ginger sugar candy coffee beer whiskey guitar music rockstar
  metallica nirvana freedom liberty peace power energy ferrari porsche mercedes mustang corvette harley yamaha honda
  toyota computer internet windows microsoft google android samsung iphone apple amazon facebook instagram twitter
  youtube linkedin dropbox office outlook email mail gmail website company business team work office home house money
  cash dollar bitcoin success germany deutschland france england london paris berlin america newyork california texas
  canada australia india mexico brasil brazil russia china
`;

const WALKS = `
  qwerty qwertz azerty qwertyuiop asdf asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc zaqxsw wsxedc yxcvbn
  1q2w3e 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3 q1w2e3r4 q1w2e3r4t5 a1b2c3 a1b2c3d4 abc123 123abc 123qwe qwe123
  asd123 zxc123 aabbcc abcabc
`;

export const COMMON_STEMS: ReadonlySet<string> = new Set(
  [PASSWORD_WORDS, LOVE_AND_PEOPLE, ANIMALS_SPORT_AND_PLAY, THINGS_AND_TIMES, WALKS].flatMap((words) =>
    words.trim().split(/\s+/),
  ),
);
