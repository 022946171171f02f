"""A real browser for tests: Debian's Chromium, driven by selenium. A module that asks for it is skipped without."""

import shutil

import pytest

pytest.importorskip("selenium", reason="selenium, which the extra test has, is not installed")

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not (CHROMIUM and DRIVER):
    pytest.skip("there is no Chromium: apt-get install chromium chromium-driver", allow_module_level=True)

QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage")  # fmt: skip


def started(profile):
    """A Chromium without a window, with a profile of its own; what it logs can be asked for."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for argument in (*QUIET, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=Service(DRIVER))


class Page:
    """A page that is open, by what a user finds on it."""

    def __init__(self, driver):
        self.driver = driver

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, name):
        self.find(f"#{name}").click()

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def choose(self, mode):
        Select(self.find("#mode")).select_by_visible_text(mode)

    @property
    def now(self):
        return self.find("#now").text

    @property
    def position(self):
        return int(self.find("#step").get_attribute("value"))

    @property
    def steps(self):
        return int(self.find("#step").get_attribute("max"))

    @property
    def disabled(self):
        return [button.get_attribute("id") for button in self.all("button[aria-disabled=true]")]

    @property
    def slopes(self):
        """The column of adjoints or tangents, by variable."""
        rows = self.all("#lines tr:not(.folded)")
        return {
            row.find_element(By.TAG_NAME, "th").text: row.find_element(By.CSS_SELECTOR, ".slope").text for row in rows
        }

    @property
    def details(self):
        names, texts = ([item.text for item in self.all(f"#details {tag}")] for tag in ("dt", "dd"))
        return dict(zip(names, texts, strict=True))

    def script(self, text):
        return self.driver.execute_script(f"return {text}")

    def resize(self, width, height=800):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
