// On a narrow screen the pages are one row that is scrolled sideways: the page that is shown is in sight.
"use strict";

document.querySelector(".bar .pages [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
