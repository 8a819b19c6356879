# ruff: noqa: E501  prose stands as it is
"""Documents of our own for measuring comparison, in plain Markdown, each with real edits that change what it says.

A real edit is `(kind, old words, new words, anchor in the old text, anchor in the new text)`; an anchor stands once in its text, inside the
statement that changed, and no cosmetic edit touches it.
"""

from dataclasses import dataclass

RealEdit = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Sample:
    """A document and what can really change in it; `language` decides which cosmetic edits make sense."""

    name: str
    text: str
    edits: tuple[RealEdit, ...]
    language: str = "en"


POLICY = Sample(
    "travel-policy",
    """# Travel policy of the Tarn Valley Library Network

This policy tells staff of the network how journeys for work are planned, booked and paid. It has applied since 2026-03-04 and replaces the guidance of 2024-09-15.

## Booking

Staff must book rail journeys through the [central desk](https://desk.example.org/rail) at least ten working days before departure. The desk answers requests within 2 days. Journeys that cost more than 1,500 euros need the approval of the finance officer. First class is not allowed on journeys shorter than 4 hours.

## What is paid

The network pays the following:

- standard fares on trains, trams and buses
- hotel rooms up to 140 euros a night, breakfast included
- meals on days that last longer than 8 hours, up to 35 euros
- luggage lockers and other small fees, e.g. for seat reservations

Receipts must be handed in within 30 days after the return. Claims that arrive later are paid only if the claimant was ill. About 85 percent of all claims were settled within a week in 2025.

## Private cars

A private car may be used only where no train or bus runs. The allowance is 0.32 euros a kilometre. Passengers add nothing to the allowance. Damage to the car is not covered by the network.

## Data protection

The desk keeps booking data for 18 months. After that the records are deleted, and only totals remain. Nobody outside the finance office may read individual claims. Questions about data are answered by the records officer, who reports to the board once a quarter.

## Review

The board reviews this policy every second year. The next review is due on 2028-02-01. Branches may propose amendments in writing until then.
""",
    (
        ("changed", "at least ten working days", "at least five working days", "working days before departure", "working days before departure"),
        ("changed", "more than 1,500 euros", "more than 2,400 euros", "approval of the finance officer", "approval of the finance officer"),
        ("changed", "may be used only where no train or bus runs", "may be used on any journey within the county", "where no train or bus", "within the county"),
        ("changed", "booking data for 18 months", "booking data for 36 months", "keeps booking data", "keeps booking data"),
        ("dropped", " Passengers add nothing to the allowance.", "", "Passengers add nothing", ""),
        ("new", "Damage to the car is not covered by the network.", "Damage to the car is not covered by the network. Drivers must show proof of insurance each January.", "", "proof of insurance"),
    ),
)  # fmt: skip

SPECIFICATION = Sample(
    "relay-protocol",
    """# Lantern Relay Protocol

This document defines how a lantern relay exchanges beacons with its peers. The key words MUST, SHOULD and MAY carry their usual meaning in specifications.

## Framing

A frame MUST begin with the octet 0x7E. The length field is 2 octets long and counts the payload only. A receiver MUST discard frames whose payload exceeds 4,096 octets. Frames without a checksum MAY be accepted on loopback interfaces.

## Sessions

A client opens a session by sending HELLO. The server MUST answer within 500 milliseconds. If no answer arrives, the client SHOULD retry three times, i.e. with growing pauses. A session expires after 15 minutes of silence. The server keeps at most 1,024 sessions open.

## Versions

Relays that implement <= V2.5 do not support compression. Relays that implement V3.0 or later MUST offer it. The field `mode` takes one of the following values:

- plain, which sends payloads as they are
- packed, which joins small payloads
- sealed, which encrypts payloads with the session key

## Errors

An error frame carries a code and a reason. Code 11 means that the checksum did not match. Code 17 means that the peer is overloaded. A peer that receives code 17 MUST wait for at least 20 seconds. The reason is meant for people and MUST NOT be parsed.

## Security considerations

Session keys MUST be rotated every 24 hours. Implementations SHOULD log failed handshakes. A relay MUST NOT forward frames from unknown peers. Operators can find further advice in the [deployment notes](https://relay.example.org/notes).

## Registry

Codes from 200 to 255 are reserved for private use. New codes are assigned by expert review. The registry was opened on 2025-11-20 and is read by about 60 percent of implementers.
""",
    (
        ("changed", "exceeds 4,096 octets", "exceeds 8,192 octets", "discard frames whose payload", "discard frames whose payload"),
        ("changed", "the client SHOULD retry three times", "the client MUST retry three times", "If no answer arrives", "If no answer arrives"),
        ("changed", "Frames without a checksum MAY be accepted", "Frames without a checksum MUST NOT be accepted", "on loopback interfaces", "on loopback interfaces"),
        ("changed", "rotated every 24 hours", "rotated every 6 hours", "Session keys", "Session keys"),
        ("new", "Code 17 means that the peer is overloaded.", "Code 17 means that the peer is overloaded. Code 19 announces a planned shutdown.", "", "planned shutdown"),
        ("dropped", " Implementations SHOULD log failed handshakes.", "", "log failed handshakes", ""),
    ),
)  # fmt: skip

PRESS = Sample(
    "harbour-press",
    """# Port of Eastmere opens its shore power plant

Eastmere, 2026-05-12. The Port of Eastmere today opened a plant that lets ships draw electricity while they are moored. Vessels can switch off their engines at berths 3, 4 and 7.

The plant cost 48 million euros and was finished two months early. The state government paid 40 percent of the sum, and the port carried the rest. It delivers up to 16 megawatts, enough for two cruise ships at once.

"Residents of the old town asked for cleaner air, and they will notice the difference," the harbour office said. Measurements will be published each month on the [air quality page](https://port.example.org/air).

In the first year the port expects about 1,200 connections. Container lines pay 0.21 euros a kilowatt hour; ferries get a discount of 15 percent. A second plant at the western quay is planned for 2029. The council has not decided yet whether cruise ships will be obliged to connect.

The port handles 9.4 million tonnes of cargo a year and employs 860 people. Its own fleet of tugs was converted to batteries between 2022 and 2025. Two older tugs remain in reserve.

The building permit was granted on 2024-02-19. Work began in the spring of that year. More than 30 firms from the region took part, incl. a cable maker that had never worked on a harbour before. The plant is run from the control room of the lock and needs a staff of six. Fishing boats will be able to use four small sockets near the market hall from autumn on. The sockets accept coins and cards. A visitor centre shows how the current reaches the ships; admission is free on Sundays.
""",
    (
        ("changed", "cost 48 million euros", "cost 53 million euros", "finished two months early", "finished two months early"),
        ("changed", "A second plant at the western quay is planned for 2029", "A second plant at the western quay is planned for 2031", "second plant", "second plant"),
        ("changed", "about 1,200 connections", "about 950 connections", "the port expects", "the port expects"),
        ("changed", "has not decided yet whether cruise ships will be obliged to connect", "has decided that cruise ships will be obliged to connect", "obliged to connect", "obliged to connect"),
        ("dropped", " Two older tugs remain in reserve.", "", "older tugs remain", ""),
        ("new", "The sockets accept coins and cards.", "The sockets accept coins and cards. Each boat may stay connected for twelve hours.", "", "stay connected for twelve hours"),
    ),
)  # fmt: skip

FAQ = Sample(
    "allotment-faq",
    """# Questions about allotment gardens

## Who may rent a garden?

Any adult who lives in the district may rent a garden. Only one garden is let to a household. People who already own land near the site are placed at the end of the list.

## How long is the waiting list?

At present 1,340 households are waiting. The average wait is 26 months. You can move up the list by helping on two of our [work days](https://gardens.example.org/days).

## What does it cost?

The yearly rent is 180 pounds for 100 square metres. Water is charged by the meter. New tenants pay a deposit of 250 pounds, which is returned when the garden is handed back in order. Pensioners get 20 percent off.

## What may I build?

You may put up a shed of up to 6 square metres. Greenhouses need written permission. Fences must not be higher than 1.2 metres. Concrete foundations are forbidden.

## May I keep animals?

Bees are welcome at the northern edge of the site, approx. 40 metres from the path. Rabbits may be kept between April and October. Hens are not allowed. Dogs have to be on a lead.

## When is the gate open?

The main gate opens at 6 o'clock and closes at dusk. The side gate is locked in winter. Deliveries are accepted on weekdays before noon. Keys cost 12 pounds, and lost keys must be reported the same day.

## How do I give notice?

Notice has to be given in writing by 2026-09-30 for the end of the season. Plants may be taken along until the last day. The shed may be sold to the next tenant. If nobody wants it, you must remove it. What is left behind is cleared away at your expense, and the bill is taken from the deposit.
""",
    (
        ("changed", "The average wait is 26 months", "The average wait is 31 months", "average wait", "average wait"),
        ("changed", "Hens are not allowed", "Hens are allowed", "Hens are", "Hens are"),
        ("changed", "rent is 180 pounds", "rent is 195 pounds", "yearly rent", "yearly rent"),
        ("changed", "by 2026-09-30 for the end", "by 2026-08-31 for the end", "has to be given in writing", "has to be given in writing"),
        ("dropped", " Concrete foundations are forbidden.", "", "Concrete foundations", ""),
        ("new", "Greenhouses need written permission.", "Greenhouses need written permission. Ponds must be covered with a grid.", "", "covered with a grid"),
    ),
)  # fmt: skip

MINUTES = Sample(
    "council-minutes",
    """# Minutes of the parish council, 2026-04-14

The meeting began at 19:00 in the school hall. Nine of eleven members were present. The minutes of the March meeting were approved without amendment.

## Playground

The clerk reported that the swings had been repaired. The council voted 7 to 2 to replace the climbing frame. Up to 14,500 pounds may be spent. The work is to be finished before the school holidays. A member asked for shade, and the clerk will collect offers for trees.

## Footpath to the mill

The landowner has not yet agreed to the new route. The council resolved to write again before 2026-05-20. If no answer comes, the matter goes to the county. Walkers are asked to use the lower path until then.

## Street lighting

Lamps in Orchard Lane will be dimmed after midnight. A trial in two streets had cut the use of power by 35 percent. Three residents objected. The council decided to continue the trial until the end of the year. The contractor will replace 62 lamps in June.

## Budget

Income of the first quarter was 38,200 pounds. Spending was 3,100 pounds below plan, mainly because the winter was mild. The reserve stands at 12 percent of the yearly budget. The auditor had no objections. The council agreed to lend the village hall 5,000 pounds without interest.

## Other business

The summer fair takes place on 2026-07-04. Stalls can be booked at the [clerk's office](https://parish.example.org/fair). The bus operator intends to stop the evening service, i.e. the one after 21:00. The council opposes the plan and will ask for a hearing. The next meeting is on 2026-05-12. The meeting closed at 21:10.
""",
    (
        ("changed", "voted 7 to 2 to replace", "voted 5 to 4 to replace", "climbing frame", "climbing frame"),
        ("changed", "Up to 14,500 pounds may be spent", "Up to 17,800 pounds may be spent", "may be spent", "may be spent"),
        ("changed", "The landowner has not yet agreed to the new route", "The landowner has agreed to the new route", "agreed to the new route", "agreed to the new route"),
        ("changed", "decided to continue the trial until the end of the year", "decided to end the trial at once", "until the end of the year", "the trial at once"),
        ("dropped", " The auditor had no objections.", "", "auditor had no objections", ""),
    ),
)  # fmt: skip

RELEASE = Sample(
    "release-notes",
    """# Quillpad 4.2 release notes

Released on 2026-02-10. This release brings shared folders, faster search and a new exporter. It can be installed over any version <= 4.1 without migrating data.

## New

- Shared folders can hold up to 2,000 notes and are kept in step between devices
- Search finds words inside attachments, e.g. in scanned letters
- The exporter writes notes as plain Markdown with their pictures beside them
- Keyboard shortcuts can be changed on the settings page

## Changed

- Autosave now runs every 15 seconds instead of every minute
- The mobile client uses about 30 percent less memory
- Deleted notes stay in the bin for 45 days
- The sync server listens on port 8443 by default

## Fixed

- Pasting a table no longer loses its last column
- Notes with very long titles are shown again on small screens
- The spell checker does not stop at words with an apostrophe
- Printing a note with footnotes no longer leaves blank pages

## Removed

- The old XML importer is gone after two years of notice
- Themes made for version 2 are not loaded any more

## Upgrade notes

The database is rewritten on first start, which takes approx. 3 minutes for 10,000 notes. Make a backup before you begin. The upgrade needs at least 400 MB of free space. Downgrading is not supported. Servers have to be upgraded before clients. Plug-ins built for 4.1 keep working, but their authors should read the [porting guide](https://quillpad.example.org/porting) before the summer.

## Known problems

Shared folders cannot be nested. Search in attachments is slow on disks that spin. The exporter skips drawings made with the pen tool. A fix for the pen tool is planned for 4.3, due on 2026-06-16.
""",
    (
        ("changed", "hold up to 2,000 notes", "hold up to 5,000 notes", "kept in step between devices", "kept in step between devices"),
        ("changed", "stay in the bin for 45 days", "stay in the bin for 14 days", "Deleted notes", "Deleted notes"),
        ("changed", "listens on port 8443", "listens on port 9443", "sync server", "sync server"),
        ("changed", "Downgrading is not supported", "Downgrading is supported", "Downgrading", "Downgrading"),
        ("new", "- Keyboard shortcuts can be changed on the settings page", "- Keyboard shortcuts can be changed on the settings page\n- Notes can be locked with a passphrase", "", "locked with a passphrase"),
        ("dropped", "- Themes made for version 2 are not loaded any more\n", "", "Themes made for", ""),
    ),
)  # fmt: skip

BULLETIN = Sample(
    "device-bulletin",
    """# Security bulletin for Halden gateway devices

Published on 2026-01-22. A flaw in the web interface of Halden gateways lets an attacker on the local network read the configuration. The flaw is rated 7.4 on a scale of ten.

## Affected products

| Product | Affected | Fixed in | Status |
| --- | --- | --- | --- |
| Halden G10 | <= V2.5 | V2.6 | fix available |
| Halden G20 | <= V3.1 | V3.2 | fix available |
| Halden G30 | <= V1.9 | none | fix planned |
| Halden Edge | <= V4.0 | V4.1 | fix available |
| Halden Mini | all | none | no fix planned |

## What to do

Install the fixed version as soon as possible. Where no fix exists, switch off the web interface or limit access to port 443. Passwords that were used on affected devices should be changed. Devices behind a firewall are at lower risk, but they are not safe.

## Details

The interface did not check who asked for a backup file. A request without a session was answered with the whole configuration, incl. hashed passwords. No attack has been seen so far. About 12,000 devices can be reached from the internet, and 70 percent of them run an affected version. The flaw was found during an audit on 2025-12-03. Support for the Halden Mini ended on 2024-06-30; owners should replace it.

## Workarounds

Turn off remote management in the menu named System. Set the option backup to manual. Restart the device afterwards. These steps do not remove the flaw, but they close the way that is known. The steps have no effect on routing. They can be undone once the fix is installed.

## Contact

Reports about this flaw are read by the product security team. A key for encrypted mail is on the [security page](https://halden.example.com/security). Further bulletins appear on the second Tuesday of each month.
""",
    (
        ("changed", "| Halden G30 | <= V1.9 | none | fix planned |", "| Halden G30 | <= V1.9 | V2.0 | fix available |", "Halden G30", "Halden G30"),
        ("changed", "| Halden Edge | <= V4.0 | V4.1 |", "| Halden Edge | <= V4.2 | V4.3 |", "Halden Edge", "Halden Edge"),
        ("changed", "No attack has been seen so far", "Attacks have been seen in two countries", "No attack has been seen", "in two countries"),
        ("changed", "rated 7.4 on a scale", "rated 9.1 on a scale", "on a scale of ten", "on a scale of ten"),
        ("dropped", " Restart the device afterwards.", "", "Restart the device", ""),
    ),
)  # fmt: skip
