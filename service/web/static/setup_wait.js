// The service starts anew: what asks meanwhile is answered once it is there again.
const START_MS = 1500;

setTimeout(() => location.replace(document.getElementById("then").href), START_MS);
