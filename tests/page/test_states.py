"""The view of a session in a real Chromium: the chart, the moves from the current state, and the limits of the
agent."""

from playwright.sync_api import expect

from server import api_path
from steps import new_session, session_path


def view_of(context, session, change):
    """Changes the server's response about a session before the page receives it."""

    def altered(route):
        view = route.fetch().json()
        change(view)
        route.fulfill(json=view)

    context.route(f"**{api_path(session)}", altered)


def edges_of(context, session, change):
    """Changes the edges of a session's charts before the page receives them."""

    def altered(view):
        for machine in view["machines"]:
            machine["chart"]["edges"] = change(machine["chart"]["edges"])

    view_of(context, session, altered)


def test_moves_by_a_timer_are_listed_and_drawn(one, server):
    session = new_session(server)
    server.decide(session, "approve")
    with one.context() as context:
        edges_of(context, session, lambda edges: [edge for edge in edges if edge["by"] == "timer"])
        page = one.open(context, session_path(session))
        moves = page.locator(".moves", has_text="By a timer")
        expect(moves).to_contain_text("EXECUTING after 8h")
        expect(moves).to_contain_text("STOPPED")
        expect(page.locator(".chart #arrow-timer").first).to_be_attached()
        expect(page.locator(".part-state")).not_to_contain_text("No transition leads")


def test_a_move_needs_its_condition_and_what_it_requires(one, server):
    session = new_session(server)
    approval = {"when": "steps_left > 0", "require": ["len(files) < 3", "reviewed"]}
    with one.context() as context:
        edges_of(context, session, lambda edges: [{**edge, **approval} for edge in edges if edge["live"] and edge["event"] == "approve"])
        page = one.open(context, session_path(session))
        expect(page.locator(".move-when")).to_have_text("if steps_left > 0, and if len(files) < 3, and if reviewed")


def test_a_move_under_one_of_several_conditions_is_one_row(one, server):
    session = new_session(server)
    several = [{"when": "first", "require": ["second"]}, {"when": "third", "require": []}]
    with one.context() as context:
        edges_of(context, session, lambda edges: [{**edge, **one_of} for edge in edges if edge["live"] and edge["event"] == "approve" for one_of in several])
        page = one.open(context, session_path(session))
        expect(page.locator(".move-when")).to_have_text("if first, and if second; or if third")


def test_a_card_says_what_the_agent_does_not_report(one, server):
    """The plan under test is a text without recorded calls, so this test makes up the sentence about unreported
    data."""
    session = new_session(server)
    with one.context() as context:
        view_of(context, session, lambda view: [card.update(unreported="Codex reports no folder.") for card in view["cards"]])
        page = one.open(context, session_path(session))
        expect(page.locator(".card-head")).to_contain_text("Codex reports no folder.")
