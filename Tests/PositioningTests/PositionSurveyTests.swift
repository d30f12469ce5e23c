import Flare
import Positioning
import Testing

@Suite struct PositionSurveyTests {
    private func spots(_ csv: String) throws(CSVError) -> [PositionSurvey.Spot] {
        try PositionSurvey.spots(Array(csv.utf8))
    }

    private func problem(_ csv: String) -> String {
        do throws(CSVError) {
            return "no problem: \(try spots(csv).count) spots"
        } catch {
            return "\(error.line.map(String.init) ?? "-") \(error.message)"
        }
    }

    @Test func `spots are read from a list`() throws {
        let spots = try spots("name,x,y\nDoor, 1.5,-2\r\n\nWindow,3,4\n")
        #expect(spots.map(\.name) == ["Door", "Window"])
        #expect(spots.map(\.position) == [Point3D(x: 1.5, y: -2), Point3D(x: 3, y: 4)])
    }

    @Test(arguments: [
        ("", "- is empty"), ("name,x,y\n", "- has no spots"), ("x,y\n", "1 the first line must be name,x,y"),
        ("name,x,y\nDoor,1,2\nDoor,2,3", "3 Door is already in line 2"),
        ("name,x,y\nDoor,1,north", "2 y must be a number"),
        ("name,x,y\n,1,2", "2 name must be 1 to 128 bytes"),
    ])
    func `an invalid list is refused with the line`(_ csv: String, _ why: String) {
        #expect(problem(csv).hasPrefix(why))
    }

    @Test func `errors are distances in the plane, with their median and 95th percentile`() throws {
        var survey = PositionSurvey()
        #expect(survey.error(share: 0.5) == 0 && survey.withinAccuracy == nil)
        for (index, error) in [1.0, 2, 3, 4, 100].enumerated() {
            let spot = PositionSurvey.Spot(name: "\(index)", position: Point3D(x: 10, y: 10, z: 5))
            let told = [-0.5, 0, 0.5].map {
                (position: Point3D(x: 10 + error + $0, y: 10, z: 0), accuracy: Optional(2.5))
            }
            let noted = survey.record(told, at: spot)
            let finding = try #require(noted)
            #expect(finding.error == error && finding.position.x == 10 + error && finding.positions == 3)
        }
        #expect(survey.error(share: 0.5) == 3)
        #expect(abs(survey.error(share: 0.95) - 80.8) < 1e-9)
        #expect(survey.withinAccuracy == 0.4)
    }

    @Test func `measuring a spot again replaces its finding`() {
        var survey = PositionSurvey()
        let spot = PositionSurvey.Spot(name: "Door", position: .zero)
        for x in [5.0, 1] { _ = survey.record([(Point3D(x: x, y: 0), nil)], at: spot) }
        #expect(survey.findings.map(\.error) == [1] && survey.withinAccuracy == nil)
        let nowhere = survey.record([(Point3D(x: .nan, y: 0), nil)], at: spot)
        #expect(nowhere == nil)
    }
}
