import JSON
import Testing
import TrilateralApp

struct SurveyTextTests {
    @Test(arguments: [
        (
            #"{"stored":true,"message":"the survey has 4 points, and is used","beacons":6,"packets":120}"#,
            "stored, 6 beacons and 120 packets; the survey has 4 points, and is used"
        ),
        (
            #"{"stored":true,"message":"m","beacons":1,"packets":9,"doubtful":["sofa","door"]}"#,
            "stored, 1 beacon and 9 packets; m; these do not fit the others either: sofa, door"
        ),
        (#"{"stored":false,"reason":"too_little","message":"stand still"}"#, "stand still"),
        ("{}", ""),
    ])
    func `what came of a spot is said in a sentence`(answer: String, text: String) throws {
        #expect(SurveyText.result(try JSONValue(parsing: answer)) == text)
    }

    @Test(arguments: [
        (#"{"points":[],"receivers":[]}"#, "the survey has 0 points, and is not used yet"),
        (#"{"points":[{}],"receivers":[{"map":"plain"}]}"#, "the survey has 1 point, and is not used yet"),
        (
            #"{"points":[{},{},{}],"receivers":[{"map":"survey"}]}"#,
            "the survey has 3 points, and positions use it"
        ),
    ])
    func `the end of a survey says whether it is used`(list: String, text: String) throws {
        #expect(SurveyText.summary(try JSONValue(parsing: list)) == text)
    }
}
