import JSON
import Rules
import Testing

struct RuleSentenceTests {
    @Test func `the example of the contract is a sentence`() throws {
        let rule = try RuleExamples.read(RuleExamples.tooWarm).rule
        #expect(
            rule.sentence
                == "When radiator's room_temp is at least 30, between 08:00 and 20:00: fan does fan_high, and alice gets a message."
        )
    }

    @Test(arguments: [
        (#"{"on":"state","thing":"a","clause":{"type":"eq","field":"f","value":"x"}}"#, #"a's f is "x""#),
        (
            #"{"on":"state","thing":"a","clause":{"type":"not","clause":{"type":"eq","field":"f","value":true}},"edge":"CONDITION_TRUE"}"#,
            "a reports and a's f is not true"
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"range","field":"f","lowerLimit":1,"upperLimit":2},"for":300}"#,
            "a's f is from 1 to 2 for 5 min"
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"range","field":"f","lowerLimit":1,"lowerIncluded":false,"upperLimit":2},"margin":0.5}"#,
            "a's f is above 1 and at most 2 (until 0.5 beyond the limit)"
        ),
        (
            #"{"on":"state","thing":"a","clause":{"type":"or","clauses":[{"type":"eq","field":"f","value":1},{"type":"and","clauses":[{"type":"eq","field":"g","value":2},{"type":"range","field":"h","upperLimit":3,"upperIncluded":false}]}]},"edge":"CONDITION_CHANGED"}"#,
            "it changes whether a's f is 1 or (a's g is 2 and a's h is below 3)"
        ),
        (#"{"on":"state","thing":"a","field":"f"}"#, "a's f changes"),
        (#"{"on":"state","thing":"a","field":"f","edge":"CONDITION_TRUE"}"#, "a reports f"),
        (
            #"{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"sunset","daysOfWeek":[1,7],"missed":"run"}"#,
            "it is 08:00 until sunset on Sunday and Saturday, also late"
        ),
        (
            #"{"on":"schedule","startTimeEachDay":"08:00:30","duration":3600,"interval":7200,"daysOfMonth":[1,32],"monthsOfYear":[12]}"#,
            "it is 08:00:30 for 1 h every 2 h on day 1 and the last of the month in December"
        ),
        (
            #"{"on":"schedule","timeBeforeEnd":"00:10:00","endTimeEachDay":"20:00:00"}"#,
            "it is 00:10:00 before 20:00"
        ),
        (
            #"{"on":"cron","cron":"0 7 * * 1-5","timeZone":"Asia/Tokyo"}"#,
            #"cron's "0 7 * * 1-5" is due (Asia/Tokyo)"#
        ),
        (#"{"on":"once","at":0}"#, "it is 1970-01-01T00:00:00Z"),
        (#"{"on":"enter","zone":"kitchen"}"#, "the device enters kitchen"),
        (
            #"{"on":"exit","geofence":{"latitude":52.5,"longitude":13,"radius":100}}"#,
            "the device leaves the circle of 100 m around 52.5, 13"
        ),
        (
            #"{"on":"enter","beacon":"id1: 0x2f234454cf6d4a0fadf2"}"#,
            "the device enters the range of beacon id1: 0x2F234454CF6D4A0FADF2"
        ),
        (#"{"on":"near","thing":"a"}"#, "a comes near"),
        (#"{"on":"far","thing":"a"}"#, "a is no longer near"),
        (#"{"on":"lifecycle","call":"applicationDidConnect"}"#, "applicationDidConnect is called"),
        (#"{"on":"lifecycle","level":"FULL"}"#, "the level becomes Active"),
        (#"{"on":"device","thing":"a","event":"on_connect"}"#, "a connects"),
        (#"{"on":"device","thing":"a","event":"ip_change"}"#, "a changes its address"),
        (#"{"on":"device","thing":"a","event":"on_connection_lost"}"#, "a is offline for 5 min"),
        (
            #"{"on":"device","thing":"a","event":"on_connection_restore","threshold":86400}"#,
            "a is online again for 1 day"
        ),
    ])
    func `a trigger in words`(text: String, words: String) throws {
        let rule = try RuleExamples.read(RuleExamples.when(text)).rule
        #expect(rule.sentence == "When \(words): it publishes a message.")
    }

    @Test(arguments: [
        (#"{"thing":"b","clause":{"type":"eq","field":"f","value":1}}"#, "while b's f is 1"),
        (
            #"{"during":{"startTimeEachDay":"22:00:00","endTimeEachDay":"06:00:00"}}"#,
            "between 22:00 and 06:00"
        ),
        (#"{"level":["Active","limited"]}"#, "at level Active or Limited"), (#"{"zone":["z"]}"#, "in z"),
        (#"{"near":["x","y","w"]}"#, "near x, y or w"),
    ])
    func `a condition in words`(text: String, words: String) throws {
        let rule = try RuleExamples.read(RuleExamples.if(text)).rule
        #expect(rule.sentence == "When a comes near, \(words): it publishes a message.")
    }

    @Test(arguments: [
        (#"{"set":{"on":false,"level":0.5},"target":"thing:lamp"}"#, "lamp gets level 0.5 and on false"),
        (#"{"set":{"on":false},"target":"zone:hall"}"#, "every light of hall gets on false"),
        (#"{"action":"blink","target":"nearby"}"#, "the nearby thing does blink"),
        (#"{"command":{"actions":[{"a":1},{"b":2}]},"target":"thing:fan"}"#, "fan gets the command a and b"),
        (
            #"{"notify":["user:a","contact:7","display:all"],"channels":["sms","email"]}"#,
            "a, contact 7 and all displays get a message by SMS and e-mail"
        ),
        (#"{"notify":[{"email":"a@b.c"}]}"#, "a@b.c gets a message"),
        (#"{"ceiling":"LIMITED"}"#, "the level is at most Limited"),
        (#"{"ceiling":null}"#, "its ceiling of the level ends"),
    ])
    func `an action in words`(text: String, words: String) throws {
        let rule = try RuleExamples.read(RuleExamples.then(text)).rule
        #expect(rule.sentence == "When a comes near: \(words).")
    }

    @Test func `several parts in words`() throws {
        let rule = try RuleExamples.read(
            #"""
            {"pause":60,"when":[{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"09:00:00"}],
             "then":[{"set":{"on":true},"target":"thing:a"},{"set":{"on":false},"target":"thing:a","at":"end"},{"publish":1,"at":"range"}]}
            """#
        ).rule
        #expect(
            rule.sentence
                == "When it is 08:00 until 09:00, at most once in 1 min: a gets on true, a gets on false at the end, and it publishes a message in the range."
        )
    }

    @Test func `harmful names are shown escaped`() throws {
        let rule = try RuleExamples.read(
            RuleExamples.when(
                #"{"on":"state","thing":"a","clause":{"type":"eq","field":"f","value":"x\u202e\n"}}"#
            )
        ).rule
        #expect(!rule.sentence.contains("\u{202E}"))
        #expect(!rule.sentence.contains("\n"))
    }
}
