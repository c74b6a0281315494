package org.abelian.router;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The map of the router in docs/design/router.md holds: arrows point downwards only. */
class ArchitectureTest {
  private static final String ROOT = "org.abelian.router";

  /** From the top down; a package may use those below it, on another line. */
  private static final List<Set<String>> LAYERS =
      List.of(
          Set.of(""),
          Set.of("frontend"),
          Set.of("explain"),
          Set.of("procedure"),
          Set.of("engine"),
          Set.of("session"),
          Set.of("trace"),
          Set.of("statement"),
          Set.of("backend"),
          Set.of("batching", "transaction.independent"),
          Set.of("routing", "transaction", "notification"),
          Set.of("execution"),
          Set.of("pool", "analysis", "catalog"),
          Set.of("transport"),
          Set.of("tls"),
          Set.of("protocol", "placement", "database"),
          Set.of("error", "json"));

  private final JavaClasses classes =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(ROOT);

  @Test
  void packagesUseOnlyThoseBelowThem() {
    for (int upper = 0; upper < LAYERS.size(); upper++) {
      for (int lower = upper + 1; lower < LAYERS.size(); lower++) {
        ArchRuleDefinition.noClasses()
            .that()
            .resideInAnyPackage(names(LAYERS.get(lower)))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(names(LAYERS.get(upper)))
            .check(classes);
      }
    }
  }

  @Test
  void everyPackageHasItsPlace() {
    for (JavaClass each : classes) {
      String name = each.getPackageName().substring(ROOT.length()).replaceFirst("^\\.", "");
      assertTrue(LAYERS.stream().anyMatch(layer -> layer.contains(name)), each.getName());
    }
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(classes);
  }

  @Test
  void classesHaveNoCycles() {
    SliceAssignment byFile =
        new SliceAssignment() {
          @Override
          public SliceIdentifier getIdentifierOf(JavaClass each) {
            JavaClass top = each;
            while (top.getEnclosingClass().isPresent()) {
              top = top.getEnclosingClass().get();
            }
            return SliceIdentifier.of(top.getName());
          }

          @Override
          public String getDescription() {
            return "files";
          }
        };
    slices().assignedFrom(byFile).should().beFreeOfCycles().check(classes);
  }

  private static String[] names(Set<String> layer) {
    return layer.stream()
        .map(name -> name.isEmpty() ? ROOT : ROOT + "." + name)
        .toArray(String[]::new);
  }
}
