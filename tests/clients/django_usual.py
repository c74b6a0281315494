"""What programs with Django do: migrations of its own applications, models, annotations, nested transactions, introspection."""
import datetime
import os
import sys
import types
from decimal import Decimal

import django
from django.conf import settings

sys.modules["cl"] = types.ModuleType("cl")  # the application whose models are below
sys.modules["cl"].__file__ = __file__
settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"],
                           "PASSWORD": os.environ["PGPASSWORD"], "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"]}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "cl"],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", USE_TZ=True, SECRET_KEY="-",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"])
django.setup()

from django.contrib.auth.models import Group, Permission, User  # noqa: E402 (Django wants its settings first)
from django.core.management import call_command  # noqa: E402
from django.db import DataError, connection, models, transaction  # noqa: E402
from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, Subquery, Sum, Value, When, Window  # noqa: E402
from django.db.models.functions import Rank, TruncMonth  # noqa: E402


class Customer(models.Model):
    name = models.CharField(max_length=50)
    email = models.EmailField(null=True)
    created = models.DateTimeField(auto_now_add=True)
    score = models.IntegerField(default=0)
    data = models.JSONField(default=dict)

    class Meta:
        app_label = "cl"


class Order(models.Model):
    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, db_constraint=False)
    total = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    day = models.DateField(null=True, db_index=True)
    tag = models.CharField(max_length=20, blank=True)

    class Meta:
        app_label = "cl"


call_command("migrate", verbosity=0)
with connection.schema_editor() as editor:
    editor.create_model(Customer)
    editor.create_model(Order)
if os.environ["PLACES"]:
    with connection.cursor() as cursor:
        for table in "cl_customer", "cl_order":
            cursor.execute("SELECT create_distributed_table(%s, 'id')", [table])

customers = [Customer.objects.create(name=f"c{i}", email=None if i % 3 else f"e{i}@x.y", score=i % 5, data={"k": i}) for i in range(20)]
print(len({customer.pk for customer in customers}))
orders = [Order(customer=customer, total=Decimal(i) * 2, day=datetime.date(2024, 1 + i % 12, 1), tag=f"t{i % 3}") for i, customer in enumerate(customers * 3)]
print(len(Order.objects.bulk_create(orders)), Order.objects.count())

print(Customer.objects.get(pk=customers[3].pk).name)
print(list(Customer.objects.filter(Q(score=1) | Q(email__isnull=False)).order_by("-name").values_list("name", "score")))
print(Order.objects.aggregate(Sum("total"), Max("day")), list(Order.objects.dates("day", "year")))
print(list(Order.objects.values("tag").annotate(n=Count("id"), s=Sum("total")).order_by("tag")))
print(list(Order.objects.annotate(month=TruncMonth("day")).values("month").annotate(n=Count("id")).order_by("month"))[:3])
print(list(Order.objects.select_related("customer").filter(customer__score=2).order_by("total").values_list("customer__name", "total")))
print(list(Customer.objects.annotate(n=Count("order"), t=Sum("order__total")).order_by("name").values_list("name", "n", "t")[:5]))
large = Order.objects.filter(customer=OuterRef("pk"))
print(Customer.objects.filter(Exists(large.filter(total__gt=100))).count())
print(list(Customer.objects.annotate(most=Subquery(large.order_by("-total").values("total")[:1])).order_by("name").values_list("name", "most")[:4]))
print(list(Order.objects.annotate(r=Window(Rank(), order_by=F("total").desc())).order_by("r").values_list("r", "total")[:5]))
print([(c.name, len(c.order_set.all())) for c in Customer.objects.prefetch_related("order_set").order_by("name")[:4]])
print(Customer.objects.filter(data__k=5).count(), list(Order.objects.order_by("tag").distinct("tag").values_list("tag", flat=True)))
print(sum(1 for _ in Order.objects.iterator(chunk_size=10)))

print(Customer.objects.filter(score=2).update(score=F("score") + 10))
kinds = Customer.objects.annotate(kind=Case(When(score__gt=5, then=Value("high")), default=Value("low"), output_field=models.CharField()))
print(list(kinds.values("kind").annotate(n=Count("id")).order_by("kind")))
print(Order.objects.filter(total__lt=6).delete(), customers[5].delete())
print(Customer.objects.get_or_create(name="new", defaults={"score": 9})[1], Customer.objects.update_or_create(name="new", defaults={"score": 8})[1])
for customer in customers[1:4]:
    customer.score = 7
Customer.objects.bulk_update(customers[1:4], ["score"])
print([c.name for c in Customer.objects.raw("SELECT * FROM cl_customer WHERE score > %s ORDER BY name", [6])])

with transaction.atomic():
    customer = Customer.objects.select_for_update().get(pk=customers[0].pk)
    customer.score += 100
    customer.save()
    try:
        with transaction.atomic():
            Customer.objects.create(name="x" * 60)
    except DataError as error:
        print(error.__cause__.pgcode)
    print(Order.objects.filter(customer=customer).update(total=F("total") + 1))
try:
    with transaction.atomic():
        Customer.objects.update(score=0)
        raise ValueError
except ValueError:
    print(Customer.objects.aggregate(Sum("score")))

print(User.objects.create_user("bob", "b@x.y", "pw").check_password("pw"))
group = Group.objects.create(name="g")
group.permissions.add(*Permission.objects.order_by("id")[:3])
print(group.permissions.count(), Permission.objects.count())
with connection.cursor() as cursor:
    print(sorted(t.name for t in connection.introspection.get_table_list(cursor) if t.name.startswith("cl_")))
    print(sorted(c["columns"] for c in connection.introspection.get_constraints(cursor, "cl_order").values()))
