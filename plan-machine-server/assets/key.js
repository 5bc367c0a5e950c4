// The key of this page. The link that opens the page has it after the `#`, which browsers send to no server. Cookies go to
// every port of a host, but only this origin can read what is stored here.

const NAME = "plan-machine-page";

/** Takes the key from the address, if the page was opened by a link. */
export function takeKey() {
  const found = /^#page=([0-9a-f]+)$/.exec(location.hash);
  if (!found) return;
  localStorage.setItem(NAME, found[1]);
  history.replaceState(null, "", location.pathname + location.search);
}

/** The header that proves that a request comes from this page. */
export const keyHeader = () => ({ "X-Plan-Machine-Page": localStorage.getItem(NAME) ?? "" });
